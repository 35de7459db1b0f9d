"""`edit` and `write`: changes to files, after the user has seen them."""

import asyncio
import difflib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessions.tools.base import Tool, ToolFailed, ToolResult, Update, parameters, text_argument
from sessions.tools.workspace import Workspace

MOST_DIFF = 12_000  # characters


def edit_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        path = workspace.path(args)
        old, new = text_argument(args, "old_text"), text_argument(args, "new_text", "")
        return ToolResult(await asyncio.to_thread(_edit, workspace, path, old, new))

    return Tool(
        "edit",
        "Replace a text in a file by another. The old text must stand there exactly once.",
        parameters(
            ("path", "old_text", "new_text"),
            path={"type": "string"},
            old_text={"type": "string"},
            new_text={"type": "string"},
        ),
        run,
        gated=True,
    )


def write_tool(workspace: Workspace) -> Tool:
    async def run(args: Mapping[str, Any], update: Update) -> ToolResult:
        path = workspace.path(args)
        content = text_argument(args, "content", "")
        return ToolResult(await asyncio.to_thread(_write, workspace, path, content))

    return Tool(
        "write",
        "Write a file: a new one, or all of an old one.",
        parameters(("path", "content"), path={"type": "string"}, content={"type": "string"}),
        run,
        gated=True,
    )


def _edit(workspace: Workspace, path: Path, old: str, new: str) -> str:
    before = workspace.read(path)
    count = before.count(old)
    shown = workspace.shown(path)
    if count == 0:
        raise ToolFailed(f"old_text does not stand in {shown}; read it again and copy exactly")
    if count > 1:
        raise ToolFailed(f"old_text stands {count} times in {shown}; take in more around it")
    after = before.replace(old, new)
    _replace(path, after)
    return _diff(shown, before, after)


def _write(workspace: Workspace, path: Path, content: str) -> str:
    shown = workspace.shown(path)
    if path.is_dir():
        raise ToolFailed(f"{shown} is a folder")
    before = workspace.read(path) if path.exists() else ""
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, content)
    return _diff(shown, before, content)


def _replace(path: Path, text: str) -> None:
    """Put a text in a file's place in one step; whoever reads sees the old or the new one."""
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:50]}.", dir=path.parent)
        draft = Path(name)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            draft.chmod(mode)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise ToolFailed(f"{path.name} cannot be written ({error.strerror})") from error


def _diff(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name, n=2
    )
    text = "".join(line if line.endswith("\n") else line + "\n" for line in lines)
    return text[:MOST_DIFF] or "[nothing has changed]"
