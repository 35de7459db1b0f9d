"""`bash`: a command in the workspace, after the user has seen it."""

import os
from collections.abc import Mapping
from typing import Any

from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters, text_argument
from sessions.tools.process import run_process
from sessions.tools.workspace import Workspace

SECONDS = 120
MOST_SECONDS = 600
MOST_OUTPUT = 50_000  # bytes
# What a command has no need to know: keys and tokens of this server and of its owner.
_PRIVATE = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "MLXSITE_", "DATABASE_URL")


def bash_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        command = text_argument(args, "command")
        if "\0" in command:
            raise ToolFailed("a command cannot hold NUL")
        ended = await run_process(
            ["bash", "-c", command],
            cwd=workspace.root,
            seconds=_seconds(args),
            most_output=MOST_OUTPUT,
            update=update,
            environment=_environment(),
        )
        output = ended.output.rstrip("\n")
        if ended.cut:
            output = f"[{ended.cut:,} bytes before this are left out]\n{output}"
        if ended.status is None:
            return ToolResult(f"{output}\n[stopped after {_seconds(args)} s]", ok=False)
        if ended.status != 0:
            return ToolResult(f"{output}\n[exit status {ended.status}]", ok=False)
        return ToolResult(output or "[no output]")

    return Tool(
        "bash",
        "Run a bash command in the workspace. The user is asked first.",
        parameters(
            ("command",),
            command={"type": "string"},
            timeout={"type": "integer", "description": f"Seconds, {SECONDS} unless said"},
        ),
        run,
        gated=True,
    )


def _seconds(args: Mapping[str, Any]) -> int:
    value = args.get("timeout", SECONDS)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_SECONDS:
        raise ToolFailed(f"timeout must be a whole number of seconds from 1 to {MOST_SECONDS}")
    return value


def _environment() -> dict[str, str]:
    return {n: v for n, v in os.environ.items() if not any(word in n.upper() for word in _PRIVATE)}
