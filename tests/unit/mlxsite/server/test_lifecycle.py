"""Counting what runs, and refusing what comes too late."""

import asyncio
import json

import pytest
from asgiref.testing import ApplicationCommunicator

from mlxsite.server.lifecycle import Drainable, Lifecycle

HTTP = {"type": "http", "method": "POST", "path": "/v1/things", "headers": []}
SOCKET = {"type": "websocket", "path": "/ws/chat", "headers": []}


class Held:
    """An application that ends when told to."""

    def __init__(self):
        self.release = asyncio.Event()
        self.entered = asyncio.Event()

    async def __call__(self, scope, receive, send):
        self.entered.set()
        await self.release.wait()


@pytest.fixture
def lifecycle():
    return Lifecycle(timeout=1)


async def test_a_request_is_active_from_its_beginning_to_its_end(lifecycle):
    held = Held()
    running = asyncio.create_task(Drainable(held, lifecycle)(dict(HTTP), None, None))
    await held.entered.wait()

    assert (lifecycle.active, lifecycle.idle) == (1, False)
    held.release.set()
    await running

    assert (lifecycle.active, lifecycle.idle) == (0, True)


async def test_a_request_that_fails_or_is_cancelled_is_no_longer_active(lifecycle):
    async def failing(scope, receive, send):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Drainable(failing, lifecycle)(dict(HTTP), None, None)
    held = Held()
    running = asyncio.create_task(Drainable(held, lifecycle)(dict(HTTP), None, None))
    await held.entered.wait()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert lifecycle.idle


async def test_an_open_socket_does_not_hold_up_a_shutdown(lifecycle):
    held = Held()
    running = asyncio.create_task(Drainable(held, lifecycle)(dict(SOCKET), None, None))
    await held.entered.wait()

    assert lifecycle.idle
    held.release.set()
    await running


async def test_while_draining_new_requests_get_503_and_running_ones_go_on(lifecycle):
    held = Held()
    application = Drainable(held, lifecycle)
    running = asyncio.create_task(application(dict(HTTP), None, None))
    await held.entered.wait()

    lifecycle.begin_drain()
    late = ApplicationCommunicator(application, dict(HTTP))
    start, body = await late.receive_output(5), await late.receive_output(5)

    assert start["status"] == 503
    assert dict(start["headers"])[b"retry-after"] == b"5"
    assert json.loads(body["body"]) == {
        "error": {
            "message": "server is shutting down",
            "type": "engine_unavailable",
            "param": None,
            "code": None,
        }
    }
    assert not running.done()
    held.release.set()
    await running


async def test_while_draining_a_new_socket_is_closed_as_a_restart(lifecycle):
    lifecycle.begin_drain()
    late = ApplicationCommunicator(Drainable(Held(), lifecycle), dict(SOCKET))

    assert await late.receive_output(5) == {"type": "websocket.close", "code": 1012}


def test_once_it_drains_the_timeout_runs_out(lifecycle, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("mlxsite.server.lifecycle.time.monotonic", lambda: now[0])
    assert lifecycle.seconds_left == 0.0

    lifecycle.begin_drain()
    now[0] += 0.75

    assert lifecycle.seconds_left == 0.25
    now[0] += 1
    assert lifecycle.seconds_left == 0.0


def test_whoever_announces_the_drain_learns_how_much_runs():
    told = []
    lifecycle = Lifecycle(timeout=1, on_drain=told.append)
    lifecycle.active = 2

    lifecycle.begin_drain()

    assert told == [2]
