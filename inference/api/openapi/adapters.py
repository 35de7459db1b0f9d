"""Adapters, as `inference/api/adapters.py` answers of them."""

from inference.adapters.selection import MAX_ID_LENGTH
from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import ERROR, NOT_FOUND, REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    fields,
    integer,
    number,
    or_null,
    record,
    text,
)

_ID = text("The name that requests choose it by")
_PATH = text("Its folder on the server's machine")
_RANK = integer("Of its factors; the highest, where layers differ", minimum=1)
_SCALE = number("What the product of its factors is multiplied by")
_LAYERS = integer("Layers of the served model that it changes", minimum=1)
_RAM = integer("Bytes that its factors take in memory", minimum=1)

_MOUNTED: dict[str, Schema] = {
    "id": _ID,
    "path": _PATH,
    "rank": _RANK,
    "scale": _SCALE,
    "size_bytes": integer("Bytes of its weights on disk"),
    "mounted_layers": _LAYERS,
    "ram_bytes": _RAM,
}
_AVAILABLE: dict[str, Schema] = {
    "id": text("The name of its folder"),
    "path": _PATH,
    "rank": or_null(_RANK),
    "scale": or_null(_SCALE),
    "base_model": or_null(text("What it was trained on, if that was written down")),
    "mounted": boolean("Whether this folder is mounted, under whatever id"),
    "compatible": boolean("Whether it was trained on the served model, or does not say on what"),
}
_MOUNT = Component(
    "MountRequest",
    fields(
        required={
            "id": text(
                "A name for requests to choose it by: no `+`, `,` or slash, not `none`",
                minLength=1,
                maxLength=MAX_ID_LENGTH,
            ),
            "path": text("A folder on the server's machine", minLength=1),
        },
        examples=[{"id": "pirate", "path": "/adapters/pirate"}],
    ),
)

LIST = operation(
    "listAdapters",
    "List the adapters that are mounted",
    answers={
        200: answer(
            "What requests can choose",
            record(members={"adapters": array(Component("Adapter", record(members=_MOUNTED)))}),
        ),
        **REFUSED_READS,
    },
)
LIST_AVAILABLE = operation(
    "listAvailableAdapters",
    "List the adapters on this machine's disk",
    "Those in the cache folder and beside it, also if they are not for the served model. Rank and "
    "scale are null where the configuration makes no sense.",
    answers={
        200: answer(
            "What there is to mount",
            record(
                members={
                    "adapters": array(Component("AvailableAdapter", record(members=_AVAILABLE)))
                }
            ),
        ),
        **REFUSED_READS,
    },
)
MOUNT = operation(
    "mountAdapter",
    "Mount an adapter",
    "Formats are mlx-lm's, PEFT's and mlx-optiq's, weights safetensors. All of it is mounted or "
    "nothing. One that has the id already is replaced; requests that chose it keep it.",
    body=_MOUNT,
    answers={
        200: answer(
            "It can be chosen",
            record(
                members={
                    "id": _ID,
                    "mounted_layers": _LAYERS,
                    "rank": _RANK,
                    "scale": _SCALE,
                    "ram_bytes": _RAM,
                }
            ),
        ),
        400: answer("It cannot be mounted; the message names the file or the tensor", ERROR),
        **REFUSED_WRITES,
    },
)
UNMOUNT = operation(
    "unmountAdapter",
    "Unmount an adapter",
    "Requests that chose it, running or waiting, keep it until they end.",
    answers={
        200: answer(
            "No further request can choose it",
            record(members={"id": _ID, "removed_layers": _LAYERS}),
        ),
        404: answer("It is not mounted", NOT_FOUND),
        **REFUSED_READS,
    },
)
