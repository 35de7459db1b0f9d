"""A connection to one MCP server, kept by a task of its own."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import Any

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CONNECTION_CLOSED, TextContent, Tool

from sessions.mcp.config import McpServer
from sessions.tools.base import ToolFailed, ToolResult

logger = logging.getLogger(__name__)

START_SECONDS = 20.0
STOP_SECONDS = 5.0  # that a server gets to end by itself
CALL_SECONDS = 120.0
MOST_TOOLS = 64
FIRST_PAUSE, LONGEST_PAUSE = 5.0, 600.0  # seconds before a server that failed is tried again


class McpConnection:
    """Starts when it is first needed, and again after the server has died.

    One that failed is tried again when it is needed, after a while that doubles each time. The
    library wants a client entered and left by one task, so one task does both; it tells how it
    goes for as long as it is the one. state: `stopped`, `starting`, `running` or `failed`;
    problem: why it failed. clock: in seconds.
    """

    def __init__(self, server: McpServer, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.server = server
        self._clock = clock
        self._failures = 0  # since it last ran
        self._again_at = 0.0
        self.state = "stopped"
        self.problem = server.problem
        self.tools: list[Tool] = []
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()  # a new one for each task, as the next
        self._leave = asyncio.Event()
        self._changing = asyncio.Lock()  # nobody starts a server that another still ends

    @property
    def is_due(self) -> bool:
        """Whether it is to be started, or waited for, by who needs it now."""
        if self.state == "failed":
            return not self.server.problem and self._clock() >= self._again_at
        return self.state != "running"

    async def start(self) -> None:
        """Have it running, or `failed`; takes `START_SECONDS` at most."""
        if self.server.problem:
            self.state = "failed"
            return
        async with self._changing:
            if not self.is_due:  # another has started it meanwhile, or given it up
                return
            task, ready = self._launched()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ready.wait(), START_SECONDS)
        if not ready.is_set():
            await self._give_up(task)

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
                await self._lose(client)
            raise ToolFailed(f"the server {self.server.name} failed: {error}") from error
        parts = [
            part.text if isinstance(part, TextContent) else f"[{part.type}]"
            for part in result.content
        ]
        return ToolResult("\n".join(parts) or "[no result]", ok=not result.is_error)

    async def stop(self) -> None:
        async with self._changing:
            await self._end()

    def _launched(self) -> "tuple[asyncio.Task[None], asyncio.Event]":
        """Return the task that is the connection, begun if need be, and what tells it is ready."""
        if self._task is None or self._task.done():
            self._ready, self._leave = asyncio.Event(), asyncio.Event()
            self.state, self.problem = "starting", ""
            self._task = asyncio.create_task(self._run(self._ready, self._leave))
        return self._task, self._ready

    async def _give_up(self, task: "asyncio.Task[None]") -> None:
        async with self._changing:
            if self._task is task:  # else another has given it up
                await self._end()
                self._fail(f"it did not answer within {START_SECONDS:g} s")

    async def _lose(self, client: Client) -> None:
        async with self._changing:
            if self._client is client:  # else it has been started again
                await self._end()

    async def _end(self) -> None:
        task, self._task = self._task, None
        self._client, self.state = None, "stopped"
        self._leave.set()
        if task is None:
            return
        try:
            await asyncio.wait({task}, timeout=STOP_SECONDS)
        finally:
            task.cancel()
        await asyncio.wait({task}, timeout=STOP_SECONDS)

    async def _run(self, ready: asyncio.Event, leave: asyncio.Event) -> None:
        own = asyncio.current_task()
        try:
            async with Client(self._target(), read_timeout_seconds=CALL_SECONDS) as client:
                tools = (await client.list_tools()).tools[:MOST_TOOLS]
                if self._task is own:
                    self.tools = tools
                    self._client, self.state, self._failures = client, "running", 0
                ready.set()
                await leave.wait()
        except Exception as error:  # noqa: BLE001 - whatever a stranger's server does
            logger.warning("the MCP server %s failed: %s", self.server.name, error)
            if self._task is own:
                self._fail(_words(error))
        finally:
            if self._task is own:
                self._client = None
            ready.set()

    def _fail(self, problem: str) -> None:
        self.state, self.problem = "failed", problem
        self._failures += 1
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(self._failures - 1, 16))
        self._again_at = self._clock() + pause

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
