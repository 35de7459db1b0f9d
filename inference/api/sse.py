"""Server-sent events: one encoder and one response for every protocol."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from django.http import StreamingHttpResponse

from inference.api.warnings import warning_headers
from inference.events import Event
from inference.generation import Generation
from inference.trace import Outcome, Trace, guarded

logger = logging.getLogger(__name__)

Fold = Callable[[Event], Iterable[str]]
"""Turns one event into the wire text to send for it, already encoded."""

KEEP_ALIVE = ": keep-alive\n\n"
"""A comment, which clients skip; says that the stream lives."""
KEEP_ALIVE_SECONDS = 5.0
"""The longest silence of a stream. Some clients give up after 15 seconds of it."""


def encode(data: dict[str, Any], event: str | None = None) -> str:
    """Encode one event; `event` is its name, if the protocol names its events."""
    name = "" if event is None else f"event: {event}\n"
    return f"{name}data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


def stream(
    generation: Generation, fold: Fold, broken: str, trace: Trace | None = None
) -> StreamingHttpResponse:
    """Answer with the events of a generation, as `fold` writes them.

    broken: sent when the stream breaks for a reason that no event tells; it must say so in
        the protocol's own way, since the status is spent.
    trace: noted to its end and written, if there is one.
    """
    response = StreamingHttpResponse(
        _body(generation, fold, broken, trace),
        content_type="text/event-stream; charset=utf-8",
        # Proxies that buffer would turn a stream into one late answer.
        headers={
            "Cache-Control": "no-cache",
            "X-Accel-Buffering": "no",
            **warning_headers(generation),
        },
    )
    # A client that leaves before the first byte never starts the body, so that body's own
    # clean-up would not run; Django closes what hangs on the response in every case.
    response._resource_closers.append(generation.close)  # type: ignore[attr-defined]
    if trace is not None:
        response._resource_closers.append(trace.abort)  # type: ignore[attr-defined]
    return response


async def _body(
    generation: Generation, fold: Fold, broken: str, trace: Trace | None
) -> AsyncIterator[str]:
    with guarded(trace), _SilenceTimer(KEEP_ALIVE_SECONDS, generation.nudge) as timer:
        async with generation:
            try:
                async for event in generation:
                    for text in fold(event):
                        yield text
                        timer.sent()
                        if trace is not None:
                            trace.wrote()
            except Exception:
                logger.exception("a stream broke")
                if trace is not None:
                    trace.fail()
                yield broken
        if trace is not None:
            trace.finish(Outcome.SUCCESS)


class _SilenceTimer:
    """Calls `on_silence` whenever nothing was `sent` for `seconds`, inside its `with` block.

    One timer for each stream: moving it at every event would cost more than looking at the
    clock when it rings. Thread: the running loop's.
    """

    def __init__(self, seconds: float, on_silence: Callable[[], None]) -> None:
        self._seconds = seconds
        self._on_silence = on_silence
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> "_SilenceTimer":
        self.sent()
        self._timer = self._loop.call_later(self._seconds, self._ring)
        return self

    def __exit__(self, *exception: object) -> None:
        self._timer.cancel()

    def sent(self) -> None:
        self._last = self._loop.time()

    def _ring(self) -> None:
        left = self._last + self._seconds - self._loop.time()
        if left <= 0:
            left = self._seconds
            self._on_silence()
        self._timer = self._loop.call_later(left, self._ring)
