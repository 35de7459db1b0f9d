"""A connection that several chats start and stop at once."""

import asyncio
from types import SimpleNamespace

import pytest

from sessions.mcp import connection as module
from sessions.mcp.config import McpServer
from sessions.mcp.connection import McpConnection

PATIENCE = 10


class Clients:
    """What stands in for the library's client: the first one hangs, and takes its time to go."""

    def __init__(self):
        self.made = 0
        self.leaving, self.may_go, self.gone = (asyncio.Event() for _ in range(3))

    def __call__(self, target, **options):
        self.made += 1
        return _Client(self, hangs=self.made == 1)


class _Client:
    def __init__(self, clients, *, hangs):
        self.clients, self.hangs = clients, hangs

    async def __aenter__(self):
        if self.hangs:
            await self._leave_at_last()
        return self

    async def _leave_at_last(self):
        try:
            await asyncio.Event().wait()
        finally:
            self.clients.leaving.set()
            await self.clients.may_go.wait()
            self.clients.gone.set()

    async def __aexit__(self, *error):
        pass

    async def list_tools(self):
        return SimpleNamespace(tools=[])


@pytest.fixture
async def clients(monkeypatch):
    clients = Clients()
    monkeypatch.setattr(module, "Client", clients)
    monkeypatch.setattr(module, "START_SECONDS", 0.01)
    monkeypatch.setattr(module, "STOP_SECONDS", 0.01)
    return clients


async def test_who_starts_a_server_that_another_gives_up_finds_it_failed_and_later_running(
    clients, monkeypatch
):
    now = [0.0]
    connection = McpConnection(McpServer("slow", command="x"), clock=lambda: now[0])
    first = asyncio.create_task(connection.start())
    await asyncio.wait_for(clients.leaving.wait(), PATIENCE)
    monkeypatch.setattr(module, "START_SECONDS", PATIENCE)

    second = asyncio.create_task(connection.start())
    await asyncio.sleep(0.01)  # for it to begin
    clients.may_go.set()
    await asyncio.wait_for(asyncio.gather(first, second), PATIENCE)

    assert connection.state == "failed"
    now[0] += 1000
    assert connection.is_due
    await connection.start()
    assert connection.state == "running"
    assert connection._client is not None
    await connection.stop()


async def test_a_task_that_outlives_its_stop_takes_nothing_from_the_next(clients, monkeypatch):
    now = [0.0]
    connection = McpConnection(McpServer("slow", command="x"), clock=lambda: now[0])
    await asyncio.wait_for(connection.start(), PATIENCE)
    assert connection.state == "failed"
    assert not clients.gone.is_set()
    monkeypatch.setattr(module, "START_SECONDS", PATIENCE)
    now[0] += 1000

    await asyncio.wait_for(connection.start(), PATIENCE)
    assert connection.state == "running"
    clients.may_go.set()
    await asyncio.wait_for(clients.gone.wait(), PATIENCE)
    await asyncio.sleep(0)

    assert connection.state == "running"
    assert connection._client is not None
    await connection.stop()
