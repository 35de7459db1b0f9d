"""What the curve designer's routes tell of themselves in the OpenAPI document."""

from typing import Any

from inference.api.curve.body import MOST_SAMPLES, MOST_TOKENS, SAMPLES, TOKENS
from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import ERROR, OPEN, REFUSED_WRITES
from inference.api.openapi.schema import (
    anything,
    array,
    boolean,
    either,
    integer,
    number,
    record,
    text,
    word,
)

_FAULT = record(members={"error": text("What to do about it")})
_REFUSED = {
    **REFUSED_WRITES,
    400: answer("The body cannot be understood", _FAULT),
    429: answer("Too many requests wait", _FAULT),
    500: answer("The model failed", _FAULT),
    503: answer("No engine answers, or the server is shutting down", either(_FAULT, ERROR)),
}
_PROMPT = text("What the user says, in one turn", minLength=1)
_POINT = {
    "type": "object",
    "properties": {
        "x_pct": number("Likelihood as the model has it", minimum=0, maximum=1000),
        "y_pct": number("Likelihood to draw by", minimum=0, maximum=1000),
    },
    "required": ["x_pct", "y_pct"],
}

SIGNAL = operation(
    "readSignal",
    "How likely the model holds each next token, as a histogram",
    body={"type": "object", "properties": {"prompt": _PROMPT}, "required": ["prompt"]},
    answers={
        200: answer(
            "From one in a million to certain, in even steps of the logarithm",
            record(
                members={
                    "bins": array(integer("Tokens of this likelihood"), minItems=80, maxItems=80),
                    "vocab": integer("All tokens"),
                }
            ),
        ),
        **_REFUSED,
    },
)
GENERATE = operation(
    "sampleAlongCurve",
    "Samples drawn along a curve, or as the model draws by itself",
    body={
        "type": "object",
        "properties": {
            "prompt": _PROMPT,
            "curve": anything(
                "Two points or more draw the curve, which must rise; fewer mean none",
                type="object",
                properties={"points": array(_POINT, maxItems=64)},
            ),
            "n": number(f"Samples, 1 to {MOST_SAMPLES}", default=SAMPLES),
            "max_tokens": number(f"Of each, 1 to {MOST_TOKENS}", default=TOKENS),
            "seed": number("Of the first; others follow. Unset takes the time"),
            "default": boolean("Draw as the model does by itself, whatever the curve"),
        },
        "required": ["prompt"],
    },
    answers={
        200: answer(
            "`recipe` is there in the default mode",
            record(
                members={
                    "mode": word("curve", "default"),
                    "n": integer(),
                    "seed": integer(),
                    "samples": array(
                        record(
                            members={
                                "text": text(),
                                "junk": boolean("Whether it seems to have come apart"),
                            }
                        )
                    ),
                },
                optional={
                    "recipe": record(
                        members={"temperature": number(), "topP": number(), "topK": number()}
                    )
                },
            ),
        ),
        **_REFUSED,
    },
)


def preflight(name: str) -> dict[str, Any]:
    return operation(
        f"allow{name}",
        "Tells browsers that pages of any origin may call this",
        security=OPEN,
        answers={204: answer("They may"), 403: REFUSED_WRITES[403]},
    )
