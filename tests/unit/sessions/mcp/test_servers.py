"""MCP servers of the user's: found, started, called, and survived."""

import json
import os
import signal
import sys

import pytest

from sessions.mcp.servers import McpServers
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
