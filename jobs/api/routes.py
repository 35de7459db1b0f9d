"""Jobs of any kind: list them, look at one, follow it, cancel it."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from ninja import Router

from jobs.api.answers import BadRequest, failure, success
from jobs.api.rows import job_row
from jobs.api.stream import stream
from jobs.cancel import cancel
from jobs.kinds import KINDS
from jobs.models import Job, find

router = Router(tags=["Jobs"])

READ = ["GET", "HEAD"]
DEFAULT_LIMIT = 50
MAX_LIMIT = 500
NOT_FOUND = "job not found"


@router.api_operation(READ, "/api/jobs")
async def list_jobs(request: HttpRequest) -> JsonResponse:
    """The most recent jobs, newest first."""
    limit = _limit(request.GET.get("limit"))
    kind = request.GET.get("kind") or None
    if kind is not None and kind not in KINDS:
        raise BadRequest(f"kind is {kind!r}; it may be {', '.join(KINDS)}")
    return success(jobs=await sync_to_async(_newest)(limit, kind))


@router.api_operation(READ, "/api/jobs/{job_id}")
async def show_job(request: HttpRequest, job_id: str) -> JsonResponse:
    job = await sync_to_async(find)(job_id)
    return failure(404, NOT_FOUND) if job is None else success(job=job_row(job))


@router.api_operation(READ, "/api/jobs/{job_id}/stream")
async def stream_job(request: HttpRequest, job_id: str) -> HttpResponseBase:
    if request.method == "HEAD":
        return HttpResponse(content_type="text/event-stream; charset=utf-8")
    return stream(job_id)


@router.post("/api/jobs/{job_id}/cancel")
async def cancel_job(request: HttpRequest, job_id: str) -> JsonResponse:
    """End a job; what has ended already stays as it is."""
    job = await sync_to_async(cancel)(job_id)
    return failure(404, NOT_FOUND) if job is None else success(job=job_row(job))


def _newest(limit: int, kind: str | None) -> list[dict[str, Any]]:
    jobs = Job.objects.all() if kind is None else Job.objects.filter(kind=kind)
    return [job_row(job) for job in jobs[:limit]]


def _limit(text: str | None) -> int:
    if not text:
        return DEFAULT_LIMIT
    if text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= MAX_LIMIT:
        return int(text)
    raise BadRequest(f"limit is {text!r}; it may be a whole number from 1 to {MAX_LIMIT}")
