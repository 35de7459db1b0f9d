"""`read`: a file's text, or a part of it."""

import asyncio
from collections.abc import Mapping
from typing import Any

from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters
from sessions.tools.workspace import Workspace

MOST_LINES = 2000
MOST_CHARACTERS = 50_000


def read_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        path = workspace.path(args)
        text = await asyncio.to_thread(workspace.read, path)
        return ToolResult(_part(text, _count(args, "offset", 1), _count(args, "limit", MOST_LINES)))

    return Tool(
        "read",
        "Read a text file. Long files come in parts: ask for more with offset.",
        parameters(
            ("path",),
            path={"type": "string"},
            offset={"type": "integer", "description": "First line, from 1"},
            limit={"type": "integer", "description": "Number of lines"},
        ),
        run,
    )


def _part(text: str, first: int, limit: int) -> str:
    lines = text.splitlines(keepends=True)
    if first > max(1, len(lines)):
        raise ToolFailed(f"the file has {len(lines)} lines, and offset is {first}")
    shown = "".join(lines[first - 1 : first - 1 + min(limit, MOST_LINES)])[:MOST_CHARACTERS]
    last = first - 1 + len(shown.splitlines())
    if last < len(lines):
        return f"{shown}\n[lines {first} to {last} of {len(lines)}; go on with offset {last + 1}]"
    return shown or "[the file is empty]"


def _count(args: Mapping[str, Any], name: str, default: int) -> int:
    value = args.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ToolFailed(f"{name} must be a whole number from 1")
    return value
