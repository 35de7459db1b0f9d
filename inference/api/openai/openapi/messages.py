"""The messages of a chat request, and the tools; what reads them is `messages.py`, `tools.py`."""

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

_PASSED_ON: dict[str, Schema] = {
    "name": text("Handed to the chat template"),
    "tool_call_id": text("Of a result: the call it answers; handed to the chat template"),
}
_MEDIA = ("image_url", "image", "input_audio", "audio", "audio_url", "video_url", "video")

_PART = Component(
    "ChatPart",
    either(
        text("Text, joined to that of the other parts"),
        fields(required={"type": word("text", "input_text", "output_text"), "text": text()}),
        fields(required={"type": word("refusal"), "refusal": text()}),
        fields(
            "Media, in OpenAI's form. 400 with a model that cannot take them",
            required={"type": word(*_MEDIA)},
        ),
    ),
)
_CONTENT = or_null(either(text(), array(_PART), description="Text, or parts of it"))

_FUNCTION_CALL = Component(
    "ChatFunctionCall",
    fields(
        required={"name": text(minLength=1)},
        optional={
            "arguments": either(
                text(),
                {"type": "object"},
                description="JSON text or an object. What is no JSON object reaches the model as "
                "one argument named `input`",
            )
        },
    ),
)
_TOOL_CALL = Component(
    "ChatToolCall", fields(required={"function": _FUNCTION_CALL}, optional={"id": text()})
)

MESSAGE = Component(
    "ChatMessage",
    either(
        fields(
            required={
                "role": word(
                    "system",
                    "developer",
                    "user",
                    "tool",
                    "function",
                    description="`developer` means `system`, `function` means `tool`",
                )
            },
            optional={"content": _CONTENT, **_PASSED_ON},
        ),
        fields(
            required={"role": word("assistant")},
            optional={
                "content": _CONTENT,
                "reasoning_content": text("What the assistant thought"),
                "reasoning": text("The same; the other name wins, even when it is empty"),
                "tool_calls": array(_TOOL_CALL),
                "function_call": either(
                    _FUNCTION_CALL, description="The older form; read where no `tool_calls` are"
                ),
                **_PASSED_ON,
            },
        ),
    ),
)

_FUNCTION = {
    "name": text(),
    "description": anything("What it does, for the model"),
    "parameters": anything("A JSON Schema of the arguments; an object"),
}
TOOL = Component(
    "ChatTool",
    {
        "type": "object",
        "properties": {
            "type": word("function", default="function"),
            "function": {"type": "object", "properties": _FUNCTION, "required": ["name"]},
        },
        "required": ["function"],
    },
)
TOOL_CHOICE = either(
    word("none", "auto", "required", "any"),
    Component(
        "ChatNamedTool",
        {
            "type": "object",
            "properties": {
                "type": word("function", default="function"),
                "function": fields(required={"name": text("One of the tools")}),
            },
            "required": ["function"],
        },
    ),
    description="`none` offers no tools. `required`, `any` and a named function enforce a call",
    default="auto",
)
