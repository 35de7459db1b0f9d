"""The fields that every protocol spells alike; what reads them is `inference/api/sampling.py`."""

from inference.api.openapi.schema import (
    Component,
    Schema,
    anything,
    array,
    boolean,
    either,
    fields,
    integer,
    number,
    text,
)
from inference.api.sampling import MAX_SEED
from inference.api.stop import MAX_STOPS
from inference.request import DEFAULT_CURVE, SamplingParams

_OFF = SamplingParams()
_SERVERS = "Left out, it is the server's setting, else the model author's, else "


def _context(penalty: str) -> Schema:
    return integer(
        f"How many of the newest tokens, those of the prompt included, count as seen for "
        f"`{penalty}`; 0 is all",
        minimum=0,
        default=_OFF.repetition_context_size,
    )


def _nats(description: str, default: float) -> Schema:
    return number(
        f"{description}; the default is the server's", examples=[default], minimum=0, maximum=100
    )


TONE_CURVE = Component(
    "ToneCurve",
    fields(
        "Bends the log-probabilities in place of `top_p`, `min_p`, XTC, `top_k` and the straight "
        "line of the temperature. The order of tokens never changes. Lengths are in nats",
        optional={
            "enabled": boolean("Whether to use it; the default is the server's"),
            "width": _nats("Half of the straight middle", DEFAULT_CURVE.width),
            "shoulder": _nats("How softly the top bends; 0 is straight", DEFAULT_CURVE.shoulder),
            "toe": _nats("How softly the bottom bends; 0 is straight", DEFAULT_CURVE.toe),
            "pivot_offset": _nats(
                "How far the middle is below the likeliest token", DEFAULT_CURVE.pivot_offset
            ),
        },
    ),
)

SAMPLING: dict[str, Schema] = {
    "temperature": number(
        f"How freely to draw; 0 takes the likeliest token. {_SERVERS}0.7", minimum=0
    ),
    "top_p": number(
        f"Draws from the likeliest tokens with this probability together; 0 and 1 are off. "
        f"{_SERVERS}off",
        minimum=0,
        maximum=1,
    ),
    "top_k": integer(
        f"Draws from that many of the likeliest tokens; 0 is off. {_SERVERS}off", minimum=0
    ),
    "min_p": number(
        "Drops tokens below this share of the likeliest one's probability",
        minimum=0,
        maximum=1,
        default=0,
    ),
    "xtc_probability": number(
        "How often a step drops all likely tokens but the least likely of them",
        minimum=0,
        maximum=1,
        default=0,
    ),
    "xtc_threshold": number(
        "From which probability on a token counts as likely", minimum=0, maximum=0.5, default=0
    ),
    "repetition_penalty": number(
        "Divides positive logits of tokens seen and multiplies negative ones; 0 and 1 are off",
        minimum=0,
        default=1,
    ),
    "repetition_context_size": _context("repetition_penalty"),
    "presence_penalty": number("Taken once from the logits of tokens seen", default=0),
    "presence_context_size": _context("presence_penalty"),
    "frequency_penalty": number("Taken for every time a token was seen", default=0),
    "frequency_context_size": _context("frequency_penalty"),
    "hlg": TONE_CURVE,
    "seed": integer(
        "Fixes the draw, whoever shares the batch; the default is random",
        minimum=-(2**63),
        maximum=MAX_SEED,
    ),
}
LOGIT_BIAS = {
    "type": "object",
    "description": "By token id, what is added to the token's logit",
    "propertyNames": {"pattern": r"^[0-9]+$"},
    "additionalProperties": {"type": "number"},
    "examples": [{"42": -5}],
}
ADAPTER = text(
    "Mounted adapters to answer with: an id, or several as `a+b` or `a,b`, whose residuals add up; "
    "`none` for the weights alone. The default is the server's",
    examples=["none"],
)


def stop(description: str) -> Schema:
    return either(text(), array(text(), maxItems=MAX_STOPS), description=description)


MAX_TOKENS = integer(
    "The longest answer, in tokens; the default is until the model ends or its context does",
    minimum=1,
)
STREAM = boolean("Answers with server-sent events, as they come", default=False)
IGNORED = {"model": anything("Ignored: the served model answers, and every answer names it")}
