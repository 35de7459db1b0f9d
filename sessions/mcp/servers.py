"""The MCP servers of this user, and their tools as the agent's."""

import asyncio
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.mcp.config import McpServer, read_servers
from sessions.tools.base import Tool, ToolResult, Update

if TYPE_CHECKING:
    from sessions.mcp.connection import McpConnection

PREFIX = "mcp__"
LONGEST_NAME = 64


class McpServers:
    """Shared by all chats of the process. The file is read again each time tools are asked for:
    servers that were added come, and those that were changed or removed go."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections: dict[McpServer, McpConnection] = {}
        self._lock = asyncio.Lock()

    async def tools(self) -> list[Tool]:
        """Return the tools of all servers that run; every one of them is gated."""
        connections = await self.connections()
        return [
            _tool(connection, each.name, each.description or "", each.input_schema)
            for connection in connections
            if connection.state == "running"
            for each in connection.tools
        ]

    async def connections(self) -> "list[McpConnection]":
        """Return every server that is listed, started as far as it can be."""
        async with self._lock:
            listed = await asyncio.to_thread(read_servers, self.path)
            if listed:
                # Takes a second to import, and most users list none.
                from sessions.mcp.connection import McpConnection  # noqa: PLC0415
            gone = [self._connections.pop(s) for s in list(self._connections) if s not in listed]
            for server in listed:
                self._connections.setdefault(server, McpConnection(server))
            connections = [self._connections[server] for server in listed]
        # Not under the lock: a server that hangs is waited for by those alone who need it.
        waiting = [c for c in connections if c.is_due]
        await asyncio.gather(*(c.stop() for c in gone), *(c.start() for c in waiting))
        return connections

    async def close(self) -> None:
        async with self._lock:
            await asyncio.gather(*(c.stop() for c in self._connections.values()))
            self._connections.clear()


def _tool(
    connection: "McpConnection", name: str, description: str, schema: Mapping[str, Any]
) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        return await connection.call(name, dict(args))

    return Tool(tool_name(connection.server.name, name), description, schema, run, gated=True)


def tool_name(server: str, tool: str) -> str:
    """Return what models call a tool by; another for each, since approvals go by it."""
    spelled = f"{PREFIX}{server}__{tool}"
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", spelled)
    if len(safe) <= LONGEST_NAME and safe == spelled and safe.split("__") == ["mcp", server, tool]:
        return safe
    mark = hashlib.sha256(f"{server}\0{tool}".encode(errors="replace")).hexdigest()[:8]
    return f"{safe[: LONGEST_NAME - len(mark) - 1]}_{mark}"
