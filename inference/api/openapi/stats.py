"""How the server is doing, as `stats` and `metrics` of `inference/api/` answer it."""

from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import REFUSED_READS
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    integer,
    or_null,
    record,
    text,
    word,
)

_COUNT = integer(minimum=0)
_BYTES = integer("Bytes", minimum=0)


def _part(**members: Schema) -> Schema:
    return record(members=members)


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
