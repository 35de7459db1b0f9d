"""The fields of both completion routes; what reads them is `inference/api/openai/fields.py`."""

from inference.api.openai.fields import MAX_TOP_LOGPROBS
from inference.api.openapi.sampling import (
    ADAPTER,
    IGNORED,
    LOGIT_BIAS,
    MAX_TOKENS,
    SAMPLING,
    STREAM,
    stop,
)
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    either,
    fields,
    integer,
    text,
    word,
)

_JSON_SCHEMA = either({"type": "object"}, {"type": "boolean"}, description="A JSON Schema")
_RESPONSE_FORMAT = Component(
    "ResponseFormat",
    either(
        fields(required={"type": word("text")}),
        fields("A JSON object or list", required={"type": word("json_object")}),
        fields(
            "JSON that fits a schema",
            required={
                "type": word("json_schema"),
                "json_schema": {
                    "type": "object",
                    "properties": {
                        "schema": _JSON_SCHEMA,
                        "any_whitespace": boolean("`false` leaves no blanks", default=True),
                    },
                    "required": ["schema"],
                },
            },
        ),
    ),
)

FIELDS: dict[str, Schema] = {
    **IGNORED,
    "stream": STREAM,
    "stream_options": fields(
        optional={"include_usage": boolean("A stream reports its usage in any case")}
    ),
    "max_completion_tokens": MAX_TOKENS,
    "max_tokens": {**MAX_TOKENS, "description": "The same; the other name wins"},
    **SAMPLING,
    "logit_bias": LOGIT_BIAS,
    "stop": stop("Strings before the earliest match of which the answer ends"),
    "logprobs": boolean(
        "Reports the log-probability of every token; not in streams", default=False
    ),
    "top_logprobs": integer(
        "Reports that many alternatives for every token, not in streams; -1 is unset",
        minimum=-1,
        maximum=MAX_TOP_LOGPROBS,
    ),
    "n": integer("Answers wanted: one", minimum=1, maximum=1, default=1),
    "response_format": _RESPONSE_FORMAT,
    "structured_outputs": {**_JSON_SCHEMA, "description": "A JSON Schema that the answer fits"},
    "guided_grammar": text("A grammar that derives the answer from its rule `root`", minLength=1),
    "guided_regex": text("A regular expression that matches the whole answer", minLength=1),
    "guided_choice": array(text(), "Strings, one of which is the answer", minItems=1),
    "adapter": ADAPTER,
}
