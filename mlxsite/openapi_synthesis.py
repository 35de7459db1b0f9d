"""What the route of synthesis tells of itself; see `mlxsite.openapi_hub`."""

from typing import Any

from inference.api.openapi.operation import answer, operation, query
from inference.api.openapi.refusals import REFUSED_READS
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    either,
    record,
    text,
    word,
)
from memory.synthesis.events import STAGES


def _event(type: str, description: str, /, **members: Schema) -> Schema:
    return record(description, members={"type": text(const=type), **members})


EVENT = Component(
    "SynthesisEvent",
    either(
        _event("stage", "A stage begins", stage=word(*STAGES), message=text()),
        _event("log", "A line for people", message=text()),
        _event("done", "All stages are done", message=text("Begins with `synthesis done — `")),
        _event(
            "summary",
            "The last event of a run that was done",
            implemented=boolean(const=True),
            stages=array(word(*STAGES)),
            note=text(),
        ),
        _event("error", "The last event of a run that was not", message=text()),
    ),
)

SYNTHESIZE = operation(
    "synthesizeMemory",
    "Turn chats into articles",
    "Goes through all stages and tells what it does as it does it; `data: [DONE]` ends what went "
    "well, an event `error` what did not. Other requests go first, so it may take long. It ends "
    "when its reader leaves, and the next call goes on from there. There is one run at a time.",
    parameters=[
        query("dry", word("1"), "Only tell what each stage would begin with"),
    ],
    answers={
        200: answer("The events", events=EVENT),
        **REFUSED_READS,
    },
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/v1/memory/synthesize": {"get": SYNTHESIZE},
}
