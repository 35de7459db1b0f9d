"""The messages of a request and their blocks; what reads them is `messages.py`, `content.py`."""

from inference.api.openapi.schema import (
    NULL,
    Component,
    Schema,
    anything,
    array,
    boolean,
    either,
    fields,
    or_null,
    text,
    word,
)

TEXT_BLOCK = Component(
    "TextBlock", fields(required={"type": word("text"), "text": text("Joined as it stands")})
)
_IMAGE_BLOCK = Component(
    "ImageBlock",
    fields(
        "400 with a model that sees nothing",
        required={
            "type": word("image"),
            "source": either(
                fields(required={"type": word("base64"), "data": text("The image in base64")}),
                fields(required={"type": word("url"), "url": text("Where the image is")}),
            ),
        },
    ),
)
_TOOL_RESULT_BLOCK = Component(
    "ToolResultBlock",
    fields(
        "The result of a call, a message of its own before what the user says beside it",
        required={"type": word("tool_result"), "tool_use_id": text("The call it answers")},
        optional={
            "content": either(text(), array(either(TEXT_BLOCK, _IMAGE_BLOCK))),
            "is_error": boolean("The text then begins with `Error: `", default=False),
        },
    ),
)
_TOOL_USE_BLOCK = Component(
    "ToolUseBlock",
    fields(
        "A call of the assistant's",
        required={"type": word("tool_use"), "id": text(), "name": text(minLength=1)},
        optional={"input": {"type": "object", "description": "The arguments"}},
    ),
)
_THINKING_BLOCK = Component(
    "EarlierThinkingBlock",
    fields(
        "Thoughts of earlier turns, which are dropped",
        required={"type": word("thinking", "redacted_thinking")},
    ),
)


def _content(*blocks: Schema) -> Schema:
    return or_null(either(text(), array(either(*blocks)), description="Text, or blocks of it"))


SYSTEM = either(text(), array(TEXT_BLOCK), description="What the model is told before all else")
MESSAGE = Component(
    "InputMessage",
    either(
        fields(
            required={"role": word("user")},
            optional={"content": _content(TEXT_BLOCK, _IMAGE_BLOCK, _TOOL_RESULT_BLOCK)},
        ),
        fields(
            required={"role": word("assistant")},
            optional={"content": _content(TEXT_BLOCK, _TOOL_USE_BLOCK, _THINKING_BLOCK)},
        ),
        fields(
            "At any place",
            required={"role": word("system")},
            optional={"content": _content(TEXT_BLOCK)},
        ),
    ),
)

TOOL = Component(
    "Tool",
    either(
        {
            "type": "object",
            "properties": {
                "name": text(minLength=1),
                "input_schema": {"type": "object", "description": "A JSON Schema"},
                "description": or_null(text("What it does, for the model")),
            },
            "required": ["name", "input_schema"],
        },
        {
            "type": "object",
            "description": "A tool that Anthropic's own server would run; it is left out",
            "anyOf": [{"properties": {name: NULL}} for name in ("name", "input_schema")],
            "properties": {"type": anything("Which tool")},
        },
    ),
)
TOOL_CHOICE = either(
    fields(required={"type": word("auto", "any", "none")}),
    fields(required={"type": word("tool"), "name": text("One of the tools")}),
    {"type": "object", "maxProperties": 0},
    description="`none` offers no tools; `any` and `tool` enforce a call",
    default={"type": "auto"},
)
