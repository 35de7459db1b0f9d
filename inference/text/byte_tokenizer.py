"""A tokenizer without a model: one token a byte. Goes with the scripted runner."""

from collections.abc import Mapping
from typing import Any

END_OF_TURN = 256


class ByteTokenizer:
    """Token ids 0 to 255 are the bytes; `END_OF_TURN` ends an answer."""

    stop_token_ids = frozenset({END_OF_TURN})
    token_bytes = tuple([bytes([byte]) for byte in range(256)] + [b""])
    strips_leading_space = False

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return list(text.encode())

    def render(self, messages: list[dict[str, Any]], options: Mapping[str, Any]) -> str:
        turns = [f"<{message['role']}>{message['content']}\n" for message in messages]
        return "".join(turns) + "<assistant>"

    def piece(self, token_id: int) -> str:
        return chr(token_id) if token_id < END_OF_TURN else "<end>"
