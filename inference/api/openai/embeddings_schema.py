"""What OpenAI's embeddings route takes; unknown fields are ignored.

Token ids, which OpenAI takes as well, are refused: they would be another model's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inference.api.json_body import integer
from inference.embedding import EmbeddingRequest
from inference.errors import InvalidRequest

MAX_INPUTS = 2048


class Encoding(StrEnum):
    """How a vector is written."""

    FLOAT = "float"  # a list of numbers
    BASE64 = "base64"  # its float32 numbers, little-endian, in base64


@dataclass(frozen=True, slots=True)
class EmbeddingsBody:
    """An embeddings request, its types and ranges checked."""

    request: EmbeddingRequest
    encoding: Encoding

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "EmbeddingsBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        request = EmbeddingRequest(
            texts=_texts(body.get("input")),
            instruction=_instruction(body.get("instruction")),
            dimensions=integer(body, "dimensions", at_least=1),
        )
        return cls(request, _encoding(body.get("encoding_format")))


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        raise InvalidRequest("input required", "input")
    if isinstance(value, str):
        return (_text(value, "input"),)
    if not isinstance(value, list):
        raise InvalidRequest("input must be a string or a list of strings", "input")
    if not value:
        raise InvalidRequest("input is an empty list; send at least one string", "input")
    if len(value) > MAX_INPUTS:
        raise InvalidRequest(
            f"input has {len(value)} strings, the limit is {MAX_INPUTS}; send them in parts",
            "input",
        )
    return tuple(_text(item, f"input[{index}]") for index, item in enumerate(value))


def _text(value: object, name: str) -> str:
    if isinstance(value, int | list):
        raise InvalidRequest(f"{name} must be a string; token ids are not taken", "input")
    if not isinstance(value, str):
        raise InvalidRequest(f"{name} must be a string", "input")
    if not value:
        raise InvalidRequest(f"{name} is an empty string; send some text", "input")
    return value


def _instruction(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InvalidRequest("instruction must be a string", "instruction")
    return value or None


def _encoding(value: object) -> Encoding:
    if value is None:
        return Encoding.FLOAT
    if not isinstance(value, str) or value not in list(Encoding):
        known = " or ".join(f"'{encoding}'" for encoding in Encoding)
        raise InvalidRequest(f"encoding_format must be {known}", "encoding_format")
    return Encoding(value)
