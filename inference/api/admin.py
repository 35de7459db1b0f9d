"""What an operator does to a running server."""

from django.http import HttpRequest, JsonResponse
from ninja import Router

from inference import runtime
from inference.api.openapi import admin as openapi
from inference.engine.cache.ssd.stats import FlushReport

router = Router(tags=["Admin"])


@router.post("/admin/cache/flush", openapi_extra=openapi.FLUSH)
async def flush_cache(request: HttpRequest) -> JsonResponse:
    """Make durable what is to outlive a restart; 503 with the reasons if something is not."""
    report = await runtime.get_service().durability.flush()
    return JsonResponse(flush_body(report), status=200 if report.durable else 503)


def flush_body(report: FlushReport) -> dict[str, object]:
    return {
        "durable": report.durable,
        "flushedSnapshots": report.flushed,
        "missingSnapshots": report.missing,
        "pendingSnapshots": report.pending_snapshots,
        "pendingSpills": report.pending_spills,
        "pendingSpillBytes": report.pending_spill_bytes,
        "droppedSpills": report.dropped,
        "failedSpills": report.failed,
        "elapsedMs": round(report.seconds * 1000),
        "entries": report.entries,
        "longest_durable_prefix_tokens": report.longest_prefix,
    }
