"""What Anthropic's routes take, field by field; unknown fields are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api.adapter_choice import adapter_choice
from inference.api.anthropic.reasoning import asks_for_thinking, reasoning_effort, thinking
from inference.api.anthropic.tools import offered_tools, tool_choice
from inference.api.json_body import boolean, integer, json_object
from inference.api.sampling import sampling_choice
from inference.api.stop import stop_strings
from inference.constraint import JsonSchema
from inference.errors import InvalidRequest
from inference.request import SamplingChoice, ToolChoice


@dataclass(frozen=True, slots=True)
class PromptFields:
    """What becomes the prompt, and all that a token count is made of.

    system, messages: as sent.
    tools: in OpenAI's nesting.
    thinking, effort: as in `ChatPrompt`.
    """

    system: object
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    tool_choice: ToolChoice
    thinking: bool | None
    effort: str | None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "PromptFields":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        return cls(
            system=body.get("system"),
            messages=_messages(body.get("messages")),
            tools=offered_tools(body),
            tool_choice=tool_choice(body),
            thinking=thinking(body),
            effort=reasoning_effort(body),
        )


@dataclass(frozen=True, slots=True)
class MessagesBody:
    """A request for a message, its types and ranges checked.

    expects_thinking: whether a block of thoughts would not surprise the caller.
    adapter: as `GenerationRequest.adapter`.
    """

    prompt: PromptFields
    stream: bool
    max_tokens: int | None
    sampling: SamplingChoice
    stop: tuple[str, ...]
    constraint: JsonSchema | None
    expects_thinking: bool
    adapter: tuple[str, ...] | None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "MessagesBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        return cls(
            prompt=PromptFields.from_json(body),
            stream=boolean(body, "stream", default=False),
            max_tokens=integer(body, "max_tokens", at_least=1),
            sampling=_sampling(body),
            stop=stop_strings(body.get("stop_sequences"), "stop_sequences"),
            constraint=_constraint(body),
            expects_thinking=asks_for_thinking(body),
            adapter=adapter_choice(body),
        )


def _messages(value: object) -> tuple[Mapping[str, Any], ...]:
    if value is None or value == []:
        raise InvalidRequest("messages required", "messages")
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidRequest("messages must be a list of objects", "messages")
    return tuple(value)


def _sampling(body: Mapping[str, Any]) -> SamplingChoice:
    """Read the fields that all protocols share, but for the one that this protocol lacks."""
    return sampling_choice({name: body[name] for name in body if name != "logit_bias"})


def _constraint(body: Mapping[str, Any]) -> JsonSchema | None:
    """Return what the answer must satisfy; `output_format` is the older place of the format."""
    output = json_object(json_object(body, "output_config"), "format")
    output = output or json_object(body, "output_format")
    if not output:
        return None
    kind, schema = output.get("type"), output.get("schema")
    if kind != "json_schema":
        raise InvalidRequest(
            f"output_config.format.type is {kind!r}, expected 'json_schema'", "output_config"
        )
    if not isinstance(schema, dict):
        raise InvalidRequest("output_config.format.schema must be an object", "output_config")
    return JsonSchema(schema)
