"""Reclaim disk: what could go, and the deletion of just that."""

import asyncio

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub import library
from hub.api.answers import BadRequest, success
from hub.api.body import read_object
from hub.gc.execute import execute
from hub.gc.plan import RepoPlan, plan_all

router = Router(tags=["Models"])


@router.api_operation(["GET", "HEAD"], "/api/gc/plan")
async def show_plan(request: HttpRequest) -> JsonResponse:
    plans = await asyncio.to_thread(plan_all, settings.HUB)
    return success(
        superseded=[_row(plan) for plan in plans],
        reclaim_bytes=sum(plan.reclaim_bytes for plan in plans),
    )


@router.post("/api/gc/execute")
async def execute_plan(request: HttpRequest) -> JsonResponse:
    if read_object(request).get("yes") is not True:
        raise BadRequest('nothing was deleted: confirm with {"yes": true}')
    try:
        reclaimed = await asyncio.to_thread(execute, settings.HUB)
    finally:
        library.forget()  # a failure comes after deletions
    return success(
        snapshots=reclaimed.snapshots,
        blobs=reclaimed.blobs,
        reclaimed_bytes=reclaimed.bytes,
    )


def _row(plan: RepoPlan) -> dict[str, str | int]:
    return {
        "repo_id": plan.repo_id,
        "prune_snapshots": len(plan.prune),
        "skipped_snapshots": len(plan.skipped),
        "dead_blobs": len(plan.dead),
        "reclaim_bytes": plan.reclaim_bytes,
    }
