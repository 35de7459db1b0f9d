"""What runs, and whether more may start: the server's state around a shutdown.

The ASGI application counts the requests inside it. Once draining, it answers new ones
503 while those that run go on to their end. Everything here lives on the event loop's
thread, so nothing is locked.
"""

import time
from collections.abc import Callable

from mlxsite.replies import SERVICE_RESTART, Asgi, Receive, Refusal, Scope, Send, refuse

SHUTTING_DOWN = Refusal(
    503,
    "server is shutting down",
    type="engine_unavailable",
    # The listening socket is closed: a client that keeps this connection would only see 503.
    headers=((b"retry-after", b"5"), (b"connection", b"close")),
    close_code=SERVICE_RESTART,
)


class Lifecycle:
    """Counts active requests and remembers whether the server drains.

    timeout: seconds that active requests get to finish once draining begins.
    on_drain: called once with the number of active requests when it begins.
    """

    def __init__(
        self, *, timeout: float, on_drain: Callable[[int], None] = lambda active: None
    ) -> None:
        self.timeout = timeout
        self.on_drain = on_drain
        self.active = 0
        self.draining = False
        self._deadline = 0.0

    def begin_drain(self) -> None:
        """Refuse every request that arrives from now on."""
        self.draining = True
        self._deadline = time.monotonic() + self.timeout
        self.on_drain(self.active)

    @property
    def idle(self) -> bool:
        return self.active == 0

    @property
    def seconds_left(self) -> float:
        """What is left of the timeout, once the server drains."""
        return max(self._deadline - time.monotonic(), 0.0)


class Drainable:
    """ASGI application that keeps `lifecycle` true for everything inside `inner`.

    Sockets are not counted: they stay open for as long as a page does, and must not hold
    up a shutdown.
    """

    def __init__(self, inner: Asgi, lifecycle: Lifecycle) -> None:
        self.inner = inner
        self.lifecycle = lifecycle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.lifecycle.draining:
            await refuse(SHUTTING_DOWN, scope, send)
            return
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        self.lifecycle.active += 1
        try:
            await self.inner(scope, receive, send)
        finally:
            self.lifecycle.active -= 1
