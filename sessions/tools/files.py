"""`ls` and `find`: what files there are."""

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters, text_argument
from sessions.tools.workspace import Workspace

MOST_ENTRIES = 500
MOST_VISITED = 200_000  # entries that a search looks at
PASSED_OVER = frozenset({".git", "node_modules", ".venv", "__pycache__"})


def ls_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        folder = workspace.path(args, ".")
        return ToolResult(await asyncio.to_thread(_list, workspace, folder))

    return Tool(
        "ls",
        "List a folder; names of folders end with a slash.",
        parameters((), path={"type": "string"}),
        run,
    )


def find_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        pattern = text_argument(args, "pattern")
        folder = workspace.path(args, ".")
        found = await asyncio.to_thread(lambda: sorted(_matching(folder, pattern)))
        names = [workspace.shown(path) for path in found[:MOST_ENTRIES]]
        return ToolResult(_cut(names, len(found)) or "Nothing was found.")

    return Tool(
        "find",
        "Find files by name, with * and ? as in a shell and ** for any folders.",
        parameters(("pattern",), pattern={"type": "string"}, path={"type": "string"}),
        run,
    )


def walk(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, without following links."""
    visited = 0
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER)
        for name in sorted(files):
            visited += 1
            if visited > MOST_VISITED:
                return
            yield Path(here) / name


def _list(workspace: Workspace, folder: Path) -> str:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise ToolFailed(f"{workspace.shown(folder)}: {error.strerror}") from error
    names = [entry.name + "/" * entry.is_dir() for entry in entries[:MOST_ENTRIES]]
    return _cut(names, len(entries)) or "[the folder is empty]"


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    # Without a slash, a pattern is of the name alone, wherever the file lies.
    wanted = pattern if "/" in pattern else f"**/{pattern}"
    shape = _parts(wanted)
    for path in walk(folder):
        if _fits(path.relative_to(folder).parts, shape):
            yield path


def _parts(pattern: str) -> tuple[str, ...]:
    return tuple(part for part in pattern.split("/") if part and part != ".")


def _fits(parts: tuple[str, ...], shape: tuple[str, ...]) -> bool:
    if not shape:
        return not parts
    if shape[0] == "**":
        return any(_fits(parts[skip:], shape[1:]) for skip in range(len(parts) + 1))
    return bool(parts) and Path(parts[0]).match(shape[0]) and _fits(parts[1:], shape[1:])


def _cut(names: list[str], count: int) -> str:
    more = f"\n[{count - len(names):,} more]" if count > len(names) else ""
    return "\n".join(names) + more
