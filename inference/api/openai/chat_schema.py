"""What OpenAI's chat route takes, field by field; unknown fields are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api.json_body import boolean, json_object
from inference.api.openai.fields import GenerationFields
from inference.api.openai.tools import offered_tools
from inference.errors import InvalidRequest

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class ChatCompletionBody:
    """A chat completion request, its types and ranges checked.

    tools: what the model may call, as sent.
    template_options: for the chat template, `enable_thinking` among them if it was decided.
    """

    messages: tuple[Mapping[str, Any], ...]
    fields: GenerationFields
    tools: tuple[Mapping[str, Any], ...]
    template_options: Mapping[str, Any]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "ChatCompletionBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        return cls(
            messages=_messages(body.get("messages")),
            fields=GenerationFields.from_json(body),
            tools=offered_tools(body),
            template_options=_template_options(body),
        )


def _messages(value: object) -> tuple[Mapping[str, Any], ...]:
    if value is None or value == []:
        raise InvalidRequest("messages required", "messages")
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidRequest("messages must be a list of objects", "messages")
    return tuple(value)


def _template_options(body: Mapping[str, Any]) -> Mapping[str, Any]:
    options = json_object(body, "chat_template_kwargs")
    effort = _reasoning_effort(body.get("reasoning_effort"))
    boolean(options, "enable_thinking", default=False)
    if effort is None or options.get("enable_thinking") is not None:
        return options
    return {**options, "enable_thinking": effort != "none"}


def _reasoning_effort(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in EFFORTS:
        known = ", ".join(f"'{effort}'" for effort in EFFORTS)
        raise InvalidRequest(f"reasoning_effort must be one of {known}", "reasoning_effort")
    return value
