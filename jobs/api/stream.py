"""Server-sent events of one job: its log from the beginning, and what is still to come."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from django.http import StreamingHttpResponse

from jobs.events import ENDINGS, ended, failed
from jobs.log import LogReader
from jobs.models import Job, find

RETRY = "retry: 1500\n\n"
END = "event: end\ndata: {}\n\n"
KEEP_ALIVE = ": keep-alive\n\n"
KEEP_ALIVE_SECONDS = 5.0
POLL_SECONDS = 0.2

T = TypeVar("T")

# Few threads for any number of readers; each look at a log takes far less than the time
# between two.
_threads = ThreadPoolExecutor(2, thread_name_prefix="job-log")


def stream(job_id: str) -> StreamingHttpResponse:
    """Answer with the events of a job until it is over; one of an unknown job has failed."""
    return StreamingHttpResponse(
        _body(job_id),
        content_type="text/event-stream; charset=utf-8",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def _body(job_id: str) -> AsyncIterator[str]:
    yield RETRY
    job = await _on_thread(lambda: find(job_id))
    if job is None:
        yield _frame(failed("job not found"))
    else:
        async for text in _events(job):
            yield text
    yield END


async def _events(job: Job) -> AsyncIterator[str]:
    log = LogReader(Path(job.log_path))
    last: dict[str, Any] = {}
    sent_at = time.monotonic()
    while True:
        is_over = await _on_thread(lambda: _is_over(job))
        # Behind the row: what was written before the job ended is read by now.
        while news := await _on_thread(log.read):
            last = news[-1]
            sent_at = time.monotonic()
            yield "".join(map(_frame, news))
        if is_over:
            break
        if time.monotonic() - sent_at >= KEEP_ALIVE_SECONDS:
            sent_at = time.monotonic()
            yield KEEP_ALIVE
        await asyncio.sleep(POLL_SECONDS)
    if last.get("type") not in ENDINGS:
        yield _frame(ended(job))


def _is_over(job: Job) -> bool:
    job.refresh_from_db()
    return job.is_over


def _frame(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event, ensure_ascii=False, separators=(',', ':'))}\n\n"


async def _on_thread(function: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_threads, function)
