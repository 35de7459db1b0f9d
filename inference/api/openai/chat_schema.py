"""What OpenAI's chat route takes, field by field; unknown fields are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api.json_body import boolean, json_object
from inference.api.openai.fields import GenerationFields
from inference.api.openai.tools import read_tools
from inference.errors import InvalidRequest
from inference.request import ToolChoice

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True, slots=True)
class ChatCompletionBody:
    """A chat completion request, its types and ranges checked.

    tools: what the model may call, as sent; none if the caller forbids it.
    thinking: whether to reason, as far as the caller decided it.
    effort: the level asked for, above `none`.
    template_options: further values for the chat template.
    """

    messages: tuple[Mapping[str, Any], ...]
    fields: GenerationFields
    tools: tuple[Mapping[str, Any], ...]
    tool_choice: ToolChoice
    thinking: bool | None
    effort: str | None
    template_options: Mapping[str, Any]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "ChatCompletionBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        messages = _messages(body.get("messages"))
        fields = GenerationFields.from_json(body)
        tools, tool_choice = read_tools(body)
        options = json_object(body, "chat_template_kwargs")
        explicit = boolean(options, "enable_thinking", default=None)
        effort = _reasoning_effort(body.get("reasoning_effort"))
        by_effort = None if effort is None else effort != "none"
        return cls(
            messages=messages,
            fields=fields,
            tools=tools,
            tool_choice=tool_choice,
            thinking=by_effort if explicit is None else explicit,
            effort=None if effort == "none" else effort,
            template_options={k: v for k, v in options.items() if k != "enable_thinking"},
        )


def _messages(value: object) -> tuple[Mapping[str, Any], ...]:
    if value is None or value == []:
        raise InvalidRequest("messages required", "messages")
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidRequest("messages must be a list of objects", "messages")
    return tuple(value)


def _reasoning_effort(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in EFFORTS:
        known = ", ".join(f"'{effort}'" for effort in EFFORTS)
        raise InvalidRequest(f"reasoning_effort must be one of {known}", "reasoning_effort")
    return value
