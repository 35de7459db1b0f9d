"""What OpenAI's text completion route takes; unknown fields are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api.openai.fields import GenerationFields
from inference.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class TextCompletionBody:
    """A text completion request, its types and ranges checked.

    prompt: not empty.
    """

    prompt: str
    fields: GenerationFields

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "TextCompletionBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        return cls(_prompt(body.get("prompt")), GenerationFields.from_json(body))


def _prompt(value: object) -> str:
    if value is None or value == "":
        raise InvalidRequest("prompt required", "prompt")
    if not isinstance(value, str):
        raise InvalidRequest("prompt must be a string; lists and tokens are not taken", "prompt")
    return value
