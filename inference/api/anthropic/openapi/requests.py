"""The bodies of Anthropic's routes; what reads them is `inference/api/anthropic/schema.py`."""

from inference.api.anthropic.openapi.content import MESSAGE, SYSTEM, TOOL, TOOL_CHOICE
from inference.api.openapi.sampling import ADAPTER, IGNORED, MAX_TOKENS, SAMPLING, STREAM, stop
from inference.api.openapi.schema import Component, Schema, array, either, fields, text, word

_FORMAT = Component(
    "OutputFormat",
    either(
        fields(
            "JSON that fits a schema",
            required={
                "type": word("json_schema"),
                "schema": {"type": "object", "description": "A JSON Schema"},
            },
        ),
        {"type": "object", "maxProperties": 0},
    ),
)
_EFFORT = text(
    "How deeply to think, where the chat template knows levels; unknown ones are ignored",
    examples=["low", "medium", "high", "xhigh", "max"],
)
_PROMPT: dict[str, Schema] = {
    **IGNORED,
    "system": SYSTEM,
    "tools": array(TOOL, "What the model may call"),
    "tool_choice": TOOL_CHOICE,
    "thinking": fields(
        "Whether to think before the answer; a budget is ignored",
        optional={
            "type": text(
                "`enabled` or `disabled`; all else leaves the server's default",
                examples=["enabled", "disabled", "adaptive"],
            )
        },
    ),
}
_MESSAGES = {"messages": array(MESSAGE, "The conversation", minItems=1)}
_EXAMPLE = {"messages": [{"role": "user", "content": "Say hello."}]}

MESSAGES_REQUEST = Component(
    "MessagesRequest",
    fields(
        required=_MESSAGES,
        optional={
            **_PROMPT,
            "output_config": fields(optional={"effort": _EFFORT, "format": _FORMAT}),
            "output_format": either(
                _FORMAT, description="The older place of the format; the other one wins"
            ),
            "max_tokens": MAX_TOKENS,
            "stream": STREAM,
            "stop_sequences": stop("Strings before the earliest match of which the answer ends"),
            **SAMPLING,
            "adapter": ADAPTER,
        },
        examples=[{**_EXAMPLE, "max_tokens": 60}],
    ),
)
COUNT_REQUEST = Component(
    "CountTokensRequest",
    fields(
        required=_MESSAGES,
        optional={**_PROMPT, "output_config": fields(optional={"effort": _EFFORT})},
        examples=[_EXAMPLE],
    ),
)
