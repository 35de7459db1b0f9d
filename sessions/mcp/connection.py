"""A connection to one MCP server, kept by a task of its own."""

import asyncio
import contextlib
import logging
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CONNECTION_CLOSED, TextContent, Tool

from sessions.mcp.config import McpServer
from sessions.tools.base import ToolFailed, ToolResult

logger = logging.getLogger(__name__)

START_SECONDS = 20.0
CALL_SECONDS = 120.0
MOST_TOOLS = 64


class McpConnection:
    """Starts when it is first needed, and again after the server has died.

    The library wants a client entered and left by one task, so one task does both. state:
    `stopped`, `starting`, `running` or `failed`; problem: why it failed.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.state = "stopped"
        self.problem = server.problem
        self.tools: list[Tool] = []
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._leave = asyncio.Event()

    async def start(self) -> None:
        """Have it running, or `failed`; takes `START_SECONDS` at most."""
        if self.server.problem:
            self.state = "failed"
            return
        if self._task is None or self._task.done():
            self._ready.clear()
            self._leave.clear()
            self.state, self.problem = "starting", ""
            self._task = asyncio.create_task(self._run())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._ready.wait(), START_SECONDS)
        if not self._ready.is_set():
            self.problem = f"it did not answer within {START_SECONDS:g} s"
            await self.stop()
            self.state = "failed"

    async def call(self, tool: str, args: dict[str, Any]) -> ToolResult:
        """Call a tool of the server; raises ToolFailed when the server is of no help."""
        client = self._client
        if client is None:
            raise ToolFailed(f"the server {self.server.name} is not running: {self.problem}")
        try:
            async with asyncio.timeout(CALL_SECONDS):
                result = await client.call_tool(tool, args)
        except TimeoutError as error:
            raise ToolFailed(f"no answer within {CALL_SECONDS:g} s") from error
        except MCPError as error:
            if error.error.code == CONNECTION_CLOSED:
                await self.stop()
            raise ToolFailed(f"the server {self.server.name} failed: {error}") from error
        parts = [
            part.text if isinstance(part, TextContent) else f"[{part.type}]"
            for part in result.content
        ]
        return ToolResult("\n".join(parts) or "[no result]", ok=not result.is_error)

    async def stop(self) -> None:
        task, self._task = self._task, None
        self._leave.set()
        if task is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(task, return_exceptions=True), 5)
        self.state = "stopped"

    async def _run(self) -> None:
        try:
            async with Client(self._target(), read_timeout_seconds=CALL_SECONDS) as client:
                self.tools = (await client.list_tools()).tools[:MOST_TOOLS]
                self._client, self.state = client, "running"
                self._ready.set()
                await self._leave.wait()
        except Exception as error:  # noqa: BLE001 - whatever a stranger's server does
            logger.warning("the MCP server %s failed: %s", self.server.name, error)
            self.state, self.problem = "failed", _words(error)
        finally:
            self._client = None
            self._ready.set()

    def _target(self) -> StdioServerParameters | str:
        server = self.server
        if server.url:
            return server.url
        return StdioServerParameters(
            command=server.command, args=list(server.args), env=dict(server.env) or None
        )


def _words(error: BaseException) -> str:
    """Say what went wrong; groups of errors tell it in their innermost one."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
