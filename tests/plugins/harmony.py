"""A tokenizer with harmony's special tokens, and a template that writes a few of them."""

import json
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from inference.text.byte_tokenizer import ByteTokenizer
from inference.text.tokenizer import EncodedText

RETURN, CALL = 302, 312
_SPECIALS = {
    RETURN: "<|return|>",
    303: "<|constrain|>",
    305: "<|channel|>",
    306: "<|start|>",
    307: "<|end|>",
    308: "<|message|>",
    CALL: "<|call|>",
}
_IDS = {spelling: token_id for token_id, spelling in _SPECIALS.items()}
_SPECIAL = re.compile(f"({'|'.join(map(re.escape, _IDS))})")


class HarmonyTokenizer(ByteTokenizer):
    """One token a byte, but for special tokens, which have no bytes."""

    stop_token_ids = frozenset({RETURN, CALL})
    special_tokens = MappingProxyType(_SPECIALS)
    token_bytes = (*ByteTokenizer.token_bytes, *[b""] * 60)
    chat_template = "tools reasoning_effort <|channel|>analysis<|message|> <|end|>"

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        ids: list[int] = []
        for part in _SPECIAL.split(text):
            ids += [_IDS[part]] if part in _IDS else part.encode()
        return ids

    def encode_pieces(self, pieces: Sequence[str]) -> EncodedText:
        return EncodedText([i for piece in pieces for i in self.encode(piece)], None)

    def decode(self, token_ids: Sequence[int]) -> str:
        spelled = (_SPECIALS.get(i, "").encode() or self.token_bytes[i] for i in token_ids)
        return b"".join(spelled).decode()

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        add_generation_prompt: bool = True,
    ) -> str:
        offered = f"<|start|>developer<|message|>{json.dumps(list(tools))}<|end|>" if tools else ""
        turns = "".join(
            f"<|start|>{message['role']}<|message|>{message['content']}<|end|>"
            for message in messages
        )
        return offered + turns + ("<|start|>assistant" if add_generation_prompt else "")
