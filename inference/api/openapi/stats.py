"""How the server is doing, as `stats` and `metrics` of `inference/api/` answer it."""

from inference.api.openapi.operation import answer, operation
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

_COUNT = integer(minimum=0)
_BYTES = integer("Bytes", minimum=0)


def _part(*, optional: dict[str, Schema] | None = None, **members: Schema) -> Schema:
    return record(members=members, optional=optional)


_SSD_CACHE = _part(
    dir=text("The folder that the operator named"),
    entries=_COUNT,
    bytes=_BYTES,
    max_bytes=_BYTES,
    restores=integer("Prompts that were read from disk", minimum=0),
    spills=integer("Files written", minimum=0),
    restore_ms_last=number("How long reading the last one took", minimum=0),
    demotions=integer("Prompts that left the memory because nobody used them", minimum=0),
    pending_snapshots=integer("Prompts that are to be on disk and are not", minimum=0),
    pending_spills=integer("Files that wait to be written", minimum=0),
    pending_spill_bytes=_BYTES,
    dropped_spills=integer("Files that had to leave the queue", minimum=0),
    failed_spills=integer("Files that could not be written", minimum=0),
    longest_durable_prefix_tokens=integer("Tokens of the longest prompt on disk", minimum=0),
)

_STATS = Component(
    "Stats",
    _part(
        server=_part(
            owner=word("serve"),
            model=text("The served model"),
            started_at=integer("Unix time in milliseconds"),
            backend=text(),
            backend_reasons=array(text(), "Why it was chosen"),
        ),
        prompt_cache=_part(
            entries=_COUNT, bytes=_BYTES, max_bytes=_BYTES, hits=_COUNT, misses=_COUNT
        ),
        response_store=_part(
            entries=_COUNT, bytes=_BYTES, max_bytes=_BYTES, ttl_ms=integer("Milliseconds")
        ),
        kv_quant=_part(
            mode=text("`bf16`, `uniform-kv8`, `turbo k8v3`, `mixed (kv_config.json)`"),
            layers={"type": "object", "additionalProperties": _COUNT},
            attention=record(members={"global": _COUNT, "sliding_window": _COUNT}),
        ),
        admission=_part(
            max_safe_context=integer("Tokens of prompt and answer together"),
            memory_budget_bytes=or_null(_BYTES),
            usable_bytes=_BYTES,
            weights_bytes=_BYTES,
        ),
        batch=_part(
            configured=integer("Requests that may decode together"),
            mode=word("batch", "serial", "off"),
            batched=boolean(),
            active_rows=integer("Requests that decode now"),
            pending_rows=integer("Requests that wait, or whose prompts are computed"),
            submitted_rows=integer("Requests since the start"),
            kv_bytes=integer("What the requests that run can come to, in bytes", minimum=0),
            kv_budget_bytes=or_null(_BYTES),
        ),
        optional={"ssd_cache": _SSD_CACHE},
    ),
)

STATISTICS = operation(
    "getStats",
    "Tell how the server is doing",
    "Backend, prefix cache, stored responses, limits of admission, and the batch.",
    answers={200: answer("The figures now", _STATS), **REFUSED_READS},
)
METRICS = operation(
    "getMetrics",
    "Counters for Prometheus",
    "In the text format of Prometheus, version 0.0.4. Counters run from the server's start.",
    answers={
        200: answer("The metrics", text(), media_type="text/plain"),
        **REFUSED_READS,
    },
)
