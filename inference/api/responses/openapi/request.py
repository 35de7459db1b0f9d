"""The body of a request for a response; what reads it is `schema.py` and `text_format.py`."""

from inference.api.openapi.sampling import (
    ADAPTER,
    IGNORED,
    LOGIT_BIAS,
    MAX_TOKENS,
    SAMPLING,
    STREAM,
)
from inference.api.openapi.schema import (
    Component,
    Schema,
    anything,
    array,
    boolean,
    either,
    fields,
    text,
    word,
)
from inference.api.responses.openapi.items import ITEM
from inference.api.responses.openapi.tools import TOOL, TOOL_CHOICE
from inference.api.responses.schema import EFFORTS, UNSUPPORTED

_FORMAT = Component(
    "ResponseTextFormat",
    either(
        fields(required={"type": word("text")}),
        fields("A JSON object or list", required={"type": word("json_object")}),
        fields(
            "JSON that fits a schema",
            required={
                "type": word("json_schema"),
                "schema": either({"type": "object"}, {"type": "boolean"}),
            },
            optional={"any_whitespace": boolean("`false` leaves no blanks", default=True)},
        ),
    ),
)
_REPEATED: dict[str, Schema] = {
    "metadata": {"type": "object", "description": "Repeated in the response", "default": {}},
    "parallel_tool_calls": boolean("Only repeated in the response", default=True),
}
_UNSUPPORTED: dict[str, Schema] = {
    name: {
        "description": f"Not supported: {remedy}. Only what means none is taken",
        "enum": [None, "", "none"],
    }
    for name, remedy in UNSUPPORTED.items()
}

REQUEST = Component(
    "ResponseRequest",
    fields(
        required={
            "input": either(
                text(minLength=1), array(ITEM, minItems=1), description="What is said, or its items"
            )
        },
        optional={
            **IGNORED,
            "instructions": text(
                "What the model is told before all else; the default, and what an empty text "
                "means, is that of the previous response"
            ),
            "previous_response_id": text("A stored response to go on from; 404 if it is not there"),
            "store": boolean("Whether later requests may go on from this response", default=True),
            "stream": STREAM,
            "max_output_tokens": MAX_TOKENS,
            "max_tokens": {**MAX_TOKENS, "description": "The same; the other name wins"},
            "tools": array(TOOL, "What the model may call"),
            "tool_choice": TOOL_CHOICE,
            "text": fields(optional={"format": _FORMAT}),
            "reasoning": fields(
                optional={
                    "effort": word(
                        *EFFORTS,
                        description="`none` turns reasoning off, all others turn it on; `max` "
                        "is `xhigh`",
                    ),
                    "summary": anything("Ignored: thoughts are told in full"),
                }
            ),
            "chat_template_kwargs": fields(
                "Values for the chat template",
                optional={"enable_thinking": boolean("Wins over `reasoning.effort`")},
            ),
            **SAMPLING,
            "logit_bias": LOGIT_BIAS,
            **_REPEATED,
            "adapter": ADAPTER,
            **_UNSUPPORTED,
        },
        examples=[{"input": "Say hello.", "max_output_tokens": 60}],
    ),
)
