"""A tokenizer without a model: one token a byte. Goes with the scripted runner."""

import json
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
    # Stands for a template whose model thinks and calls tools; `render` is the template.
    chat_template = "tools <think></think> <tool_call>"

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
        offered = f"<tools>{json.dumps(list(tools))}\n" if tools else ""
        turns = "".join(_turn(message) for message in messages)
        return offered + turns + ("<assistant>" if add_generation_prompt else "")

    def piece(self, token_id: int) -> str:
        return chr(token_id) if token_id < END_OF_TURN else "<end>"


def _turn(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls")
    called = f"<tool_calls>{json.dumps(calls)}" if calls else ""
    return f"<{message['role']}>{message['content']}{called}\n"
