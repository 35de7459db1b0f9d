"""The memory's tools, as the agent calls them. They read the disk, so each call has a thread."""

import asyncio
from collections.abc import Mapping
from typing import Any

from memory.errors import VaultError
from memory.tools import base as memory
from memory.tools.available import available
from memory.tools.skill import HINT
from sessions.tools.base import Tool, ToolFailed, ToolResult, Update


async def memory_tools() -> list[Tool]:
    """Return the tools there are now: none before there is a vault."""
    return [_adapted(tool) for tool in await asyncio.to_thread(available)]


def hints_of(tools: list[Tool]) -> tuple[str, ...]:
    """Return what the instructions say of these tools; nothing where there are none."""
    return (HINT,) if tools else ()


def _adapted(tool: memory.Tool) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        try:
            return ToolResult(await asyncio.to_thread(tool.run, args))
        except (memory.ToolFailed, VaultError) as error:
            raise ToolFailed(str(error)) from error

    return Tool(tool.name, tool.description, tool.parameters, run)
