"""Server-sent events of one job: its log from the beginning, and what is still to come."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import DatabaseError, connection
from django.http import StreamingHttpResponse

from jobs.events import failed
from jobs.follow import POLL_SECONDS, Follower
from jobs.models import find

RETRY = "retry: 1500\n\n"
END = "event: end\ndata: {}\n\n"
KEEP_ALIVE = ": keep-alive\n\n"
KEEP_ALIVE_SECONDS = 5.0

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
        async for text in _events(Follower(job)):
            yield text
    yield END


async def _events(follower: Follower) -> AsyncIterator[str]:
    sent_at = time.monotonic()
    while not follower.is_finished:
        if news := await _on_thread(follower.look):
            sent_at = time.monotonic()
            yield "".join(map(_frame, news))
            continue
        if time.monotonic() - sent_at >= KEEP_ALIVE_SECONDS:
            sent_at = time.monotonic()
            yield KEEP_ALIVE
        if not follower.is_finished:
            await asyncio.sleep(POLL_SECONDS)


def _frame(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event, ensure_ascii=False, separators=(',', ':'))}\n\n"


async def _on_thread(function: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_threads, _with_database, function)


def _with_database(function: Callable[[], T]) -> T:
    """Call a function whose thread keeps its connection; a new one if that has gone stale."""
    try:
        return function()
    except DatabaseError:
        connection.close()
        return function()
