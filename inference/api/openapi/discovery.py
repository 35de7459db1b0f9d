"""What clients ask before they generate, as `inference/api/discovery.py` answers it."""

from inference.api.openapi.library import TIER
from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import ERROR, OPEN, REFUSED_READS
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    either,
    integer,
    number,
    or_null,
    record,
    text,
    word,
)

CAPABILITIES = (
    "chat_completions",
    "text_completions",
    "anthropic_messages",
    "responses",
    "streaming",
    "tools",
    "structured_output",
    "logprobs",
    "embeddings",
    "vision",
    "audio",
    "adapters",
    "training",
)
_FLAGS = ("vision", "audio", "tools", "structured_output", "embeddings", "adapters", "training")

_ROW: dict[str, Schema] = {
    "id": text("The name to ask for"),
    "object": word("model"),
    "created": integer("Since when it is served, Unix time in seconds"),
    "owned_by": word("mlxsite"),
    "context_window": integer("Tokens of prompt and answer together"),
    "reasoning": boolean("Whether it can think before it answers"),
    "batch_mode": word("batch", "serial", "off"),
    **{name: boolean() for name in (*_FLAGS, "dsa", "mtp")},
    "capabilities": record(members={name: boolean() for name in CAPABILITIES}),
    "gen_defaults": record(
        "Sampling where a request says nothing; null where the server's own default counts",
        members={
            "temperature": or_null(number()),
            "top_p": or_null(number()),
            "top_k": or_null(integer()),
        },
    ),
}
_MODEL = Component("Model", record(members=_ROW))
_OTHER_ROW: dict[str, Schema] = {
    **{name: _ROW[name] for name in ("id", "object", "created", "vision")},
    "tier": TIER,
}
_OTHER_MODEL = Component(
    "OtherModel", record("On this machine, and not served now", members=_OTHER_ROW)
)
_ANY_MODEL = either(_MODEL, _OTHER_MODEL)


def _alone(name: str, row: dict[str, Schema]) -> Schema:
    repeats = "A model; `data` repeats it for clients that expect a list"
    return Component(name, record(repeats, members={**row, "data": array(_ANY_MODEL)}))


_MODEL_LIST = Component(
    "ModelList",
    record(members={"object": word("list"), "data": array(_ANY_MODEL, "The served one first")}),
)
_INDEX = Component(
    "Index",
    record(
        members={
            "name": word("mlxsite"),
            "version": text(),
            "model": text("The served model"),
            "endpoints": array(text("Method and path")),
        }
    ),
)


def _health(status: str) -> Schema:
    return record(members={"status": word(status)})


INDEX = operation(
    "getIndex",
    "Tell what is served",
    answers={200: answer("Name, version, model and endpoints", _INDEX), **REFUSED_READS},
)
LIST_MODELS = operation(
    "listModels",
    "List the served model, and those that could be served",
    answers={200: answer("The models", _MODEL_LIST), **REFUSED_READS},
)
GET_MODEL = operation(
    "getModel",
    "Describe a model of the list",
    "The id may contain slashes, which stand in the path as they are.",
    answers={
        200: answer(
            "The model", either(_alone("ModelAlone", _ROW), _alone("OtherModelAlone", _OTHER_ROW))
        ),
        **REFUSED_READS,
        404: answer("There is no such model; `code` is `model_not_found`", ERROR),
    },
)
HEALTH = operation(
    "getHealth",
    "Tell whether the engine lives",
    "Answers without an API key.",
    security=OPEN,
    answers={
        200: answer("It does", _health("ok")),
        403: REFUSED_READS[403],
        503: answer(
            "It does not; or, in the shape of `Error`, the server is shutting down",
            either(_health("engine_unavailable"), ERROR),
        ),
    },
)
