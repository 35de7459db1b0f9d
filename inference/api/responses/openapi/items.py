"""The items of a request's input; what reads them is `input_items.py` and `messages.py`."""

from inference.api.openapi.schema import (
    Component,
    Schema,
    anything,
    array,
    either,
    fields,
    or_null,
    text,
    word,
)
from inference.api.responses.content import PART_TYPES
from inference.api.responses.input_items import REFERENCE, TOOLS
from inference.api.responses.openapi.tools import TOOL

_PART = Component(
    "ResponseInputPart",
    either(
        fields(
            required={
                "type": word("input_text", "output_text", "text", "summary_text", "reasoning_text"),
                "text": text("Joined to that of the other parts"),
            }
        ),
        fields(required={"type": word("refusal"), "refusal": text()}),
        fields(
            "Media, in OpenAI's form. 400 with a model that cannot take them",
            required={"type": word("input_image", "image_url", "input_audio", "input_video")},
        ),
    ),
)
_CONTENT = either(text(), array(_PART), description="Text, or parts of it")
_ROLE = word("user", "assistant", "system", "developer")


def _call(kind: str, required: dict[str, Schema], optional: dict[str, Schema]) -> Schema:
    return fields(
        "What the model called",
        required={"type": word(kind), "call_id": text(), "name": text(minLength=1), **required},
        optional={"namespace": text("Of the tool, if it is in one"), **optional},
    )


_ARGUMENTS = either(text(), {"type": "object"}, description="JSON text, or an object")
_KNOWN = (
    "message",
    "function_call",
    "custom_tool_call",
    "function_call_output",
    "custom_tool_call_output",
    "reasoning",
    REFERENCE,
    TOOLS,
)
ITEM = Component(
    "ResponseInputItem",
    either(
        {
            "type": "object",
            "properties": {
                "type": or_null(word("message")),
                "role": _ROLE,
                "content": or_null(_CONTENT),
            },
            "required": ["role"],
        },
        _call("function_call", {}, {"arguments": _ARGUMENTS}),
        _call("custom_tool_call", {"input": text()}, {}),
        fields(
            "The result of a call",
            required={
                "type": word("function_call_output", "custom_tool_call_output"),
                "call_id": text(),
            },
            optional={"output": _CONTENT},
        ),
        fields(
            "Thoughts go to the chat template if they can be read",
            required={"type": word("reasoning")},
            optional={"content": _CONTENT, "summary": _CONTENT},
        ),
        {
            "type": "object",
            "description": "An item of a stored response; 404 if it is not there",
            "properties": {"type": or_null(word(REFERENCE)), "id": text()},
            "required": ["id"],
            "not": {"required": ["role"], "properties": {"type": {"type": "null"}}},
        },
        fields(required={"type": word(TOOLS), "tools": array(TOOL, "Further tools")}),
        {
            "type": "object",
            "description": "An item of a tool that runs elsewhere; it is passed over",
            "properties": {
                "type": {"type": "string", "not": {"enum": [*_KNOWN, *PART_TYPES]}},
                "id": anything("Its id"),
            },
            "required": ["type"],
        },
    ),
)
