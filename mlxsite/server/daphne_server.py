"""Daphne behind one function, with what it leaves out: a drain, clear errors, a clean end,
and a limit to what waits for a slow client.

No other module imports Daphne or Twisted, so another ASGI server means another file like
this one.
"""

# First of all: this import installs Twisted's asyncio reactor.
from daphne.server import Server, twisted_loop  # isort: skip

import asyncio
import signal
from collections.abc import Callable
from typing import Any

from mlxsite.replies import Asgi
from mlxsite.server.lifecycle import Lifecycle

# Connections waiting to be accepted. Twisted's default of 50 makes a burst of 64 clients
# wait a second for a SYN to be sent again.
BACKLOG = 1024
WEBSOCKET_LIMIT = 64 * 2**20  # bytes; Daphne's 1 MiB is less than one image
DRAIN_POLL = 0.05  # seconds
FINISH_TIMEOUT = 5  # seconds that cancelled tasks get for their `finally` blocks


class ListenError(Exception):
    """The address could not be listened on."""


def serve(
    application: Asgi, *, host: str, port: int, lifecycle: Lifecycle, on_ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM, then drain; return when nothing runs any more.

    on_ready: called once, on this thread, when connections are accepted.
    The first signal stops listening and waits for active requests, `lifecycle.timeout`
    seconds at most; a second one does not wait. Thread: the main one, once per process
    (Twisted's reactor does not start twice). Raises ListenError.
    """
    interface = host.replace(":", r"\:")  # an endpoint string separates its parts by colons
    server = _Server(
        application,
        endpoints=[f"tcp:port={port}:interface={interface}:backlog={BACKLOG}"],
        signal_handlers=False,
        # No http_timeout: a long answer is not a stuck one.
        websocket_max_message_size=WEBSOCKET_LIMIT,
        websocket_max_frame_size=WEBSOCKET_LIMIT,
        ready_callable=on_ready,
        verbosity=0,
        server_name="",
    )
    drain = _Drain(server, lifecycle)
    for number in (signal.SIGINT, signal.SIGTERM):
        twisted_loop.add_signal_handler(number, drain.on_signal)
    try:
        server.run()
        _finish_tasks()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            twisted_loop.remove_signal_handler(number)
    # Daphne returns from `run` when it could not listen, as if it had served.
    if server.listen_failure is not None:
        raise ListenError(f"cannot listen on {host} port {port}: {server.listen_failure}")


class _Valve:
    """Whether a client keeps up with what it is sent: what Twisted tells a push producer."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()

    async def wait(self) -> None:
        """Return when the client takes more, or is gone."""
        await self._open.wait()

    def pauseProducing(self) -> None:  # Twisted's name, as the two below
        self._open.clear()

    def resumeProducing(self) -> None:
        self._open.set()

    def stopProducing(self) -> None:
        self._open.set()


class _Server(Server):  # type: ignore[misc]
    """Daphne's server, which keeps its ports, and the reason for having none."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.ports: list[Any] = []
        self.listen_failure: str | None = None

    def listen_success(self, port: Any) -> None:
        self.ports.append(port)  # Daphne forgets it, and then cannot stop listening
        super().listen_success(port)

    def listen_error(self, failure: Any) -> None:
        self.listen_failure = failure.getErrorMessage()
        self.stop()

    async def handle_reply(self, protocol: Any, message: Any) -> None:
        """Send one message of an application, and wait while the client lags.

        Daphne's own version never waits: what a client does not read piles up in memory. And
        of an answer to HEAD it leaves out the first part of the body only.
        """
        if message["type"] == "http.response.body" and protocol.method == b"HEAD":
            message = {**message, "body": b""}
        valve = self._valve_for(protocol, message)
        await super().handle_reply(protocol, message)
        if valve is not None:
            await valve.wait()

    def _valve_for(self, protocol: Any, message: Any) -> _Valve | None:
        """Return what to wait for after a frame, or a part of a response that is not the last."""
        details = self.connections.get(protocol)
        if not details or "disconnected" in details:
            return None
        if message["type"] == "websocket.send":
            return self._valve_of_socket(protocol, details)
        if message["type"] != "http.response.body":
            return None
        if message.get("more_body"):
            if protocol.producer is None:
                protocol.registerProducer(_Valve(), streaming=True)
            valve: _Valve = protocol.producer
            return valve
        if protocol.producer is not None:
            protocol.unregisterProducer()  # or Twisted logs a fault when the response ends
        return None

    def _valve_of_socket(self, protocol: Any, details: dict[str, Any]) -> _Valve:
        valve: _Valve | None = details.get("valve")
        if valve is None:
            valve = details["valve"] = _Valve()
            # Of the request that became a socket; it would not read while its client lags.
            protocol.unregisterProducer()
            protocol.registerProducer(valve, streaming=True)
        return valve

    def protocol_disconnected(self, protocol: Any) -> None:
        """Let go of an application that waits for a client which is gone.

        After a closing handshake Twisted does not tell its valve: autobahn has unregistered it.
        """
        super().protocol_disconnected(protocol)
        valve: _Valve | None = self.connections[protocol].get("valve")
        if valve is not None:
            valve.stopProducing()

    def kill_all_applications(self) -> None:
        """Cancel applications before the reactor stops; `_finish_tasks` awaits them.

        Daphne's own version raises KeyError for a kept-alive connection between requests.
        """
        for details in self.connections.values():
            if (application := details.get("application_instance")) is not None:
                application.cancel()


class _Drain:
    """What signals do to a server. Thread: event loop."""

    def __init__(self, server: _Server, lifecycle: Lifecycle) -> None:
        self.server = server
        self.lifecycle = lifecycle
        self.deadline = 0.0

    def on_signal(self) -> None:
        if self.lifecycle.draining:
            self.server.stop()
            return
        self.lifecycle.begin_drain()
        for port in self.server.ports:
            port.stopListening()
        self.deadline = twisted_loop.time() + self.lifecycle.timeout
        self._stop_when_idle()

    def _stop_when_idle(self) -> None:
        if self.lifecycle.idle or twisted_loop.time() >= self.deadline:
            self.server.stop()
        else:
            twisted_loop.call_later(DRAIN_POLL, self._stop_when_idle)


def _finish_tasks() -> None:
    """Cancel and await what still runs on the loop.

    Daphne cancels only the outer task of a request. Django's inner ones would stay, their
    `finally` blocks would not run, and CPython 3.11 can crash collecting them at exit.
    """
    left = asyncio.all_tasks(twisted_loop)
    for task in left:
        task.cancel()
    if left:
        twisted_loop.run_until_complete(asyncio.wait(left, timeout=FINISH_TIMEOUT))
    twisted_loop.run_until_complete(twisted_loop.shutdown_asyncgens())
