"""A tokenizer without a model: one token a byte. Goes with the scripted runner."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.text.tokenizer import EncodedText

END_OF_TURN = 256


class ByteTokenizer:
    """Token ids 0 to 255 are the bytes; `END_OF_TURN`, which no text spells, ends an answer."""

    stop_token_ids = frozenset({END_OF_TURN})
    special_tokens: Mapping[int, str] = {}
    token_bytes = tuple([bytes([byte]) for byte in range(256)] + [b""])
    strips_leading_space = False

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return list(text.encode())

    def encode_pieces(self, pieces: Sequence[str]) -> EncodedText:
        return EncodedText(list("".join(pieces).encode()), None)

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        add_generation_prompt: bool = True,
    ) -> str:
        turns = [f"<{message['role']}>{message['content']}\n" for message in messages]
        return "".join(turns) + ("<assistant>" if add_generation_prompt else "")

    def piece(self, token_id: int) -> str:
        return chr(token_id) if token_id < END_OF_TURN else "<end>"
