"""MCP servers of the user's: found, started, called, and survived."""

import asyncio
import json
import os
import re
import signal
import sys

import pytest

from sessions.mcp.config import McpServer
from sessions.mcp.connection import McpConnection
from sessions.mcp.servers import McpServers, tool_name
from sessions.tools.base import ToolFailed

SERVER = '''
import os, sys
from mcp.server import MCPServer
server = MCPServer("tiny")

@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b

@server.tool()
def pid() -> str:
    """Tell the process."""
    return str(os.getpid())

@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("as asked")

server.run("stdio")
'''

pytestmark = pytest.mark.slow


async def ignore(chunk):
    pass


@pytest.fixture
async def servers(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    path = tmp_path / "mcp.json"
    entry = {"command": sys.executable, "args": [str(script)]}
    path.write_text(json.dumps({"mcpServers": {"tiny": entry}}))
    servers = McpServers(path)
    yield servers
    await servers.close()


async def tools_of(servers):
    return {tool.name: tool for tool in await servers.tools()}


async def test_tools_of_a_server_are_called_by_their_full_name_and_asked_about(servers):
    tools = await tools_of(servers)

    assert set(tools) == {"mcp__tiny__add", "mcp__tiny__pid", "mcp__tiny__fail"}
    add = tools["mcp__tiny__add"]
    assert (add.gated, add.description) == (True, "Add two numbers.")
    assert set(add.parameters["properties"]) == {"a", "b"}
    assert (await add.run({"a": 2, "b": 3}, ignore)).text == "5"
    failed = await tools["mcp__tiny__fail"].run({}, ignore)
    assert not failed.ok
    assert "fail" in failed.text


async def test_a_server_that_dies_is_reported_and_started_again(servers):
    tools = await tools_of(servers)
    process = int((await tools["mcp__tiny__pid"].run({}, ignore)).text)

    os.kill(process, signal.SIGKILL)

    with pytest.raises(ToolFailed, match="tiny"):
        await tools["mcp__tiny__add"].run({"a": 1, "b": 1}, ignore)
    again = await tools_of(servers)
    assert (await again["mcp__tiny__add"].run({"a": 1, "b": 1}, ignore)).text == "2"


async def test_servers_that_cannot_be_used_are_listed_with_the_reason(tmp_path):
    listed = {
        "absent": {"command": "no-such-program-anywhere"},
        "empty": {},
        "odd": {"command": "x", "args": "not a list"},
        "off": {"command": "x", "disabled": True},
        "text": "?",
    }
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": listed}))
    servers = McpServers(path)

    connections = await servers.connections()

    assert [c.state for c in connections] == ["failed"] * 5
    assert all(c.problem for c in connections)
    assert await servers.tools() == []
    await servers.close()


@pytest.mark.parametrize("content", [None, "", "[]", "{", '{"mcpServers": []}'])
async def test_a_missing_or_damaged_file_lists_nothing(tmp_path, content):
    path = tmp_path / "mcp.json"
    if content is not None:
        path.write_text(content)

    assert await McpServers(path).tools() == []


async def test_a_server_that_failed_is_tried_again_after_a_while(tmp_path):
    now = [0.0]
    program = tmp_path / "late"
    connection = McpConnection(McpServer("late", command=str(program)), clock=lambda: now[0])

    pauses = []
    for _ in range(10):
        assert connection.is_due
        await connection.start()
        assert connection.state == "failed"
        assert not connection.is_due
        begun = now[0]
        while not connection.is_due:
            now[0] += 5
        pauses.append(now[0] - begun)
    assert pauses == [5, 10, 20, 40, 80, 160, 320, 600, 600, 600]

    script = tmp_path / "server.py"
    script.write_text(SERVER)
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {script}\n")
    program.chmod(0o755)
    await connection.start()
    assert connection.state == "running"
    await connection.stop()


async def test_a_server_whose_entry_is_wrong_is_not_tried_again(tmp_path):
    connection = McpConnection(McpServer("off", problem="disabled"))

    await connection.start()

    assert connection.state == "failed"
    assert not connection.is_due


async def test_a_server_that_hangs_holds_up_nobody_who_does_not_need_it(tmp_path, monkeypatch):
    begun = asyncio.Event()

    async def hang(self):
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(McpConnection, "start", hang)
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"slow": {"command": "x"}}}))
    servers = McpServers(path)
    first = asyncio.create_task(servers.tools())
    await asyncio.wait_for(begun.wait(), 10)

    path.write_text("{}")

    assert await asyncio.wait_for(servers.tools(), 10) == []
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)


def test_no_two_tools_have_one_name():
    pairs = [
        ("files", "read"),
        ("my files", "read"),
        ("my_files", "read"),
        ("my.files", "read"),
        ("a__b", "c"),
        ("a", "b__c"),
        ("a_", "b"),
        ("a", "_b"),
        ("files", "x" * 80),
        ("files", "x" * 81),
    ]

    names = {tool_name(server, tool) for server, tool in pairs}

    assert len(names) == len(pairs)
    assert "mcp__files__read" in names
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)
