"""`GET /v1/memory/synthesize`: a run, told while it works as server-sent events.

A run ends with its reader, at the next step, and the next one goes on from there. It may wait
for long while others use the model; then comments say that the stream lives.
"""

import asyncio
import contextlib
import json
import logging
import threading
from collections.abc import AsyncIterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from ninja import Router

from memory.synthesis import current, events
from memory.synthesis.errors import Stopped, SynthesisError

logger = logging.getLogger(__name__)
router = Router(tags=["Memory"])

KEEP_ALIVE = ": keep-alive\n\n"
KEEP_ALIVE_SECONDS = 5.0
DONE = "data: [DONE]\n\n"
FAILED = "the synthesis failed; the server's log says why"


@router.api_operation(["GET", "HEAD"], "/v1/memory/synthesize")
async def synthesize(request: HttpRequest) -> StreamingHttpResponse:
    # Asked for its headers alone, it runs nothing: the work begins with the body.
    return StreamingHttpResponse(
        _body(dry=request.GET.get("dry") == "1"),
        content_type="text/event-stream; charset=utf-8",
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )


async def _body(*, dry: bool) -> AsyncIterator[str]:
    news: asyncio.Queue[events.Event | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    stop = threading.Event()

    def tell(event: events.Event | None) -> None:
        with contextlib.suppress(RuntimeError):  # nobody listens any more
            loop.call_soon_threadsafe(news.put_nowait, event)

    current.in_background(lambda: _work(tell, stop, dry=dry), lambda: tell(None))
    try:
        while True:
            try:
                event = await asyncio.wait_for(news.get(), KEEP_ALIVE_SECONDS)
            except TimeoutError:
                yield KEEP_ALIVE
                continue
            if event is None:
                yield DONE
                return
            yield _frame(event)
            if event["type"] == "error":
                return
    finally:
        stop.set()


def _work(tell: events.Tell, stop: threading.Event, *, dry: bool) -> None:
    try:
        if dry:
            current.plan(tell)
        else:
            current.synthesize(tell, stop)
    except SynthesisError as error:
        if not isinstance(error, Stopped):
            logger.info("no synthesis: %s", error)
        tell(events.error(str(error)))
    except Exception:
        logger.exception("a synthesis failed")
        tell(events.error(FAILED))


def _frame(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event, ensure_ascii=False, separators=(',', ':'))}\n\n"
