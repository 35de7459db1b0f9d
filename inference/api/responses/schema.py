"""What the Responses route takes, field by field; unknown fields are ignored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.api.adapter_choice import adapter_choice
from inference.api.json_body import boolean, integer, json_object
from inference.api.responses.input_items import to_items
from inference.api.responses.plain_json import check_plain
from inference.api.responses.store import Item
from inference.api.responses.text_format import constraint_of
from inference.api.sampling import sampling_choice
from inference.constraint import Constraint
from inference.errors import InvalidRequest
from inference.request import SamplingChoice

# The last of OpenAI's levels is one more than ours.
EFFORTS = {
    "none": None,
    "minimal": "minimal",
    "low": "low",
    "medium": "medium",
    "high": "high",
    "xhigh": "xhigh",
    "max": "xhigh",
}
# What a request can ask for and this server cannot do: ignored, it would be another answer.
UNSUPPORTED = {
    "conversation": "send previous_response_id, or the conversation as input",
    "prompt": "send instructions and input",
}


@dataclass(frozen=True, slots=True)
class ResponsesBody:
    """A request for a response, its types and ranges checked.

    fields: the whole body as sent, for what a response repeats of it.
    items: the new ones; tools among them are not checked yet, nor are `tools`, `tool_choice`.
    instructions: None leaves those of the previous response in force.
    store: whether the response may be gone on from.
    template_options, thinking, effort: as in `ChatPrompt`.
    adapter: as `GenerationRequest.adapter`.
    """

    fields: Mapping[str, Any]
    items: tuple[Item, ...]
    instructions: str | None
    previous_response_id: str | None
    tools: tuple[Any, ...]
    tool_choice: object
    stream: bool
    store: bool
    max_tokens: int | None
    sampling: SamplingChoice
    constraint: Constraint | None
    template_options: Mapping[str, Any]
    thinking: bool | None
    effort: str | None
    adapter: tuple[str, ...] | None

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "ResponsesBody":
        """Check a parsed body; raises InvalidRequest naming the first field at fault."""
        check_plain(body)
        _refuse_unsupported(body)
        _check_repeated(body)
        options = json_object(body, "chat_template_kwargs")
        effort = _effort(json_object(body, "reasoning"))
        return cls(
            fields=body,
            items=to_items(body.get("input")),
            instructions=_string(body, "instructions") or None,
            previous_response_id=_string(body, "previous_response_id"),
            tools=_tools(body.get("tools")),
            tool_choice=body.get("tool_choice"),
            stream=boolean(body, "stream", default=False),
            store=boolean(body, "store", default=True),
            max_tokens=_max_tokens(body),
            sampling=sampling_choice(body),
            constraint=constraint_of(json_object(body, "text")),
            template_options=options,
            thinking=_thinking(options, effort),
            effort=None if effort is None else EFFORTS[effort],
            adapter=adapter_choice(body),
        )


def _refuse_unsupported(body: Mapping[str, Any]) -> None:
    for name, remedy in UNSUPPORTED.items():
        if body.get(name) not in (None, "", "none"):
            raise InvalidRequest(f"{name} is not supported by this server; {remedy}", name)


def _check_repeated(body: Mapping[str, Any]) -> None:
    """Check the types of fields that are only repeated in the response."""
    json_object(body, "metadata")
    boolean(body, "parallel_tool_calls", default=True)


def _tools(value: object) -> tuple[Any, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InvalidRequest("tools must be a list of objects", "tools")
    return tuple(value)


def _max_tokens(body: Mapping[str, Any]) -> int | None:
    # Both are checked, so that the other name is no way around the check.
    ours = integer(body, "max_output_tokens", at_least=1)
    others = integer(body, "max_tokens", at_least=1)
    return others if ours is None else ours


def _effort(reasoning: Mapping[str, Any]) -> str | None:
    effort = reasoning.get("effort")
    if effort is None:
        return None
    if not isinstance(effort, str) or effort not in EFFORTS:
        known = ", ".join(f"'{name}'" for name in EFFORTS)
        raise InvalidRequest(f"reasoning.effort must be one of {known}", "reasoning")
    return effort


def _thinking(options: Mapping[str, Any], effort: str | None) -> bool | None:
    """Return whether to think: what the template is told outright wins over an effort."""
    if options.get("enable_thinking") is not None:
        return boolean(options, "enable_thinking", default=False)
    return None if effort is None else effort != "none"


def _string(body: Mapping[str, Any], name: str) -> str | None:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidRequest(f"{name} must be a string", name)
    return value
