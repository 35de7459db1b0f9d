"""What is slow about text, done before the engine hears of a request."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from inference.engine.config import EngineConfig
from inference.errors import QueueFull

P = ParamSpec("P")
T = TypeVar("T")


class Preparation:
    """Runs functions on worker threads, unless too many wait for one already.

    config: of the engine; as many may wait as it would take itself, so that a burst fails in
        one place only.
    Use it on one event loop.
    """

    def __init__(self, config: EngineConfig) -> None:
        self._max_waiting = config.max_waiting
        self._limit = config.max_waiting + config.max_running
        self._count = 0

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what `function` returns; raises QueueFull, or what it raises."""
        if self._count >= self._limit:
            raise QueueFull(
                f"{self._max_waiting} requests are waiting, the limit is "
                f"{self._max_waiting}; try again in a moment"
            )
        self._count += 1
        try:
            return await asyncio.to_thread(function, *args, **kwargs)
        finally:
            self._count -= 1
