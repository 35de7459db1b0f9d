"""How one service takes the place of another while callers are on their way in.

A caller that comes through the door before it closes is served here. Later ones wait, and
are then served by the successor, as if they had asked for it in the first place.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from inference.errors import EngineNotRunning, QueueFull

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class Door(Generic[S]):
    """The way into a service of type S. Thread: any.

    max_waiting: callers that may wait for the successor.
    """

    def __init__(self, max_waiting: int) -> None:
        self._max_waiting = max_waiting
        self._lock = threading.Lock()
        self._inside = 0
        self._closed = False
        self._successor: S | EngineNotRunning | None = None
        self._waiting: set[asyncio.Future[None]] = set()

    def enter(self) -> bool:
        """Let a caller in, who must `leave`; False once the door is closed."""
        with self._lock:
            self._inside += not self._closed
            return not self._closed

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1

    def close(self) -> None:
        """Let nobody in any more; whoever comes waits for `open_to`."""
        with self._lock:
            self._closed = True

    def open_to(self, successor: S | EngineNotRunning) -> None:
        """Send those who wait, and all who come, to a successor; or fail them, if there is none."""
        with self._lock:
            self._closed = True
            self._successor = successor
            waiting, self._waiting = self._waiting, set()
        for waiter in waiting:
            # Nobody is left to wake on a loop that has closed.
            with contextlib.suppress(RuntimeError):
                waiter.get_loop().call_soon_threadsafe(_wake, waiter)

    @property
    def is_empty(self) -> bool:
        """Whether nobody is between `enter` and `leave`."""
        return self._inside == 0

    @property
    def num_waiting(self) -> int:
        return len(self._waiting)

    @property
    def awaits_successor(self) -> bool:
        """Whether the door is closed, and who comes next not known yet."""
        return self._closed and self._successor is None

    async def successor(self) -> S:
        """Wait for the successor of a closed door; raises QueueFull, EngineNotRunning."""
        waiter = asyncio.get_running_loop().create_future()
        with self._lock:
            if self._successor is None:
                if len(self._waiting) >= self._max_waiting:
                    raise QueueFull(
                        f"{self._max_waiting} requests wait for the next model, the limit is "
                        f"{self._max_waiting}; try again in a moment"
                    )
                self._waiting.add(waiter)
            else:
                waiter.set_result(None)
        try:
            await waiter
        finally:
            with self._lock:
                self._waiting.discard(waiter)
        successor = self._successor
        if isinstance(successor, EngineNotRunning):
            raise EngineNotRunning(successor.message)
        assert successor is not None, "open_to() is what wakes"
        return successor


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


class HasDoor(Protocol):
    """What `handed_over` needs of a service."""

    @property
    def door(self) -> Door[Any]: ...


H = TypeVar("H", bound=HasDoor)


def handed_over(
    method: Callable[Concatenate[H, P], Awaitable[R]],
) -> Callable[Concatenate[H, P], Awaitable[R]]:
    """Run a coroutine method inside the door, or once that is closed on the successor."""

    @wraps(method)
    async def run(service: H, /, *args: P.args, **kwargs: P.kwargs) -> R:
        while not service.door.enter():
            service = await service.door.successor()
        try:
            return await method(service, *args, **kwargs)
        finally:
            service.door.leave()

    return run
