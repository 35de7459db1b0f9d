"""Server-sent events: one encoder and one response for every protocol."""

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from django.http import StreamingHttpResponse

from inference.events import Event
from inference.generation import Generation

logger = logging.getLogger(__name__)

Fold = Callable[[Event], Iterable[str]]
"""Turns one event into the wire text to send for it, already encoded."""


def encode(data: dict[str, Any]) -> str:
    """Encode one unnamed event."""
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


def stream(generation: Generation, fold: Fold, broken: str) -> StreamingHttpResponse:
    """Answer with the events of a generation, as `fold` writes them.

    broken: sent when the stream breaks for a reason that no event tells; it must say so in
        the protocol's own way, since the status is spent.
    """
    response = StreamingHttpResponse(
        _body(generation, fold, broken),
        content_type="text/event-stream; charset=utf-8",
        # Proxies that buffer would turn a stream into one late answer.
        headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"},
    )
    # A client that leaves before the first byte never starts the body, so that body's own
    # clean-up would not run; Django closes what hangs on the response in every case.
    response._resource_closers.append(generation.close)  # type: ignore[attr-defined]
    return response


async def _body(generation: Generation, fold: Fold, broken: str) -> AsyncIterator[str]:
    async with generation:
        try:
            async for event in generation:
                for text in fold(event):
                    yield text
        except Exception:
            logger.exception("a stream broke")
            yield broken
