"""The models of this machine, as `inference/api/library.py` answers them."""

from inference.api.openapi.operation import answer, operation, query
from inference.api.openapi.refusals import REFUSED_READS
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    integer,
    number,
    or_null,
    record,
    text,
    word,
)

TIER = word("targeted", "generic", description="A family that the tests run, or mlx-lm knows")
ASSESSMENT = Component(
    "Assessment",
    record(
        "At a context of 8,192 tokens on this machine",
        members={
            "fits": boolean(),
            "max_safe_context": integer("Tokens", minimum=0),
            "predicted_decode_tps": number("Tokens a second; as measured, if it was"),
        },
    ),
)
SKIPPED = array(record(members={"repo_id": text(), "reason": text()}), "Folders that hold no model")

LIBRARY_ROW: dict[str, Schema] = {
    "repo_id": text(),
    "model_type": text(),
    "size_bytes": integer("Bytes of its weights"),
    "quant_bits": or_null(integer("The width most layers have")),
    "vision": boolean(),
    "audio": boolean(),
    "supported": boolean("Whether it can be served"),
    "support_tier": or_null(TIER),
    "serving": boolean("Whether it is served now"),
    "assessment": or_null(ASSESSMENT),
}
_MODEL = Component("LibraryModel", record(members=LIBRARY_ROW))
LIBRARY = operation(
    "getLibrary",
    "List the models of this machine",
    "Up to 30 seconds old.",
    parameters=[query("refresh", text(), "`1` looks anew")],
    answers={
        200: answer("The models", record(members={"models": array(_MODEL), "skipped": SKIPPED})),
        **REFUSED_READS,
    },
)
