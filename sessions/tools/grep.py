"""`grep`: lines that match, in the files of the workspace.

A pattern can take for ever, so it runs in a process that can be ended.
"""

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessions.tools import grep_worker
from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters, text_argument
from sessions.tools.process import run_process
from sessions.tools.workspace import Workspace

logger = logging.getLogger(__name__)

SECONDS = 20
MOST_OUTPUT = 50_000  # bytes
_PROJECT = Path(__file__).resolve().parents[2]


def grep_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        pattern = text_argument(args, "pattern")
        where = workspace.path(args, ".")
        flags = ["--ignore-case"] if args.get("ignore_case") is True else []
        worker = [sys.executable, "-m", "sessions.tools.grep_worker"]
        ended = await run_process(
            [*worker, *flags, "--", pattern, str(where), str(workspace.root)],
            cwd=_PROJECT,
            seconds=SECONDS,
            most_output=MOST_OUTPUT,
            update=_nowhere,
        )
        match ended.status:
            case None:
                raise ToolFailed(f"the search took longer than {SECONDS} s; narrow it down")
            case 0:
                return ToolResult(ended.output.rstrip("\n"))
            case grep_worker.NOTHING:
                return ToolResult("Nothing was found.")
            case grep_worker.BAD_PATTERN:
                raise ToolFailed(ended.output.strip())
        logger.error("a search failed: %s", ended.output)
        raise ToolFailed("the search failed; the server's log says why")

    return Tool(
        "grep",
        "Search file contents with a regular expression (Python's); shows path:line: text.",
        parameters(
            ("pattern",),
            pattern={"type": "string"},
            path={"type": "string"},
            ignore_case={"type": "boolean"},
        ),
        run,
    )


async def _nowhere(chunk: str) -> None:
    return None
