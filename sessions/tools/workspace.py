"""The folder that the agent's file tools see. Nothing they are given leads out of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessions.tools.base import ToolFailed, text_argument

LONGEST_FILE = 10 * 2**20  # bytes that a tool takes in at once


class Workspace:
    """Files below `root`, which is made when it is first needed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def root(self) -> Path:
        """The folder, every link followed; raises ToolFailed if it cannot be made."""
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            return self._root.resolve(strict=True)
        except OSError as error:
            raise ToolFailed(f"the workspace cannot be used ({error.strerror})") from error

    def path(self, args: Mapping[str, Any], default: str | None = None) -> Path:
        """Return the argument `path`, followed to where it really is; raises ToolFailed."""
        text = text_argument(args, "path", default)
        root = self.root
        try:
            real = (root / text).resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise ToolFailed(f"{text!r} is no path") from error
        if real != root and not real.is_relative_to(root):
            raise ToolFailed(f"{text!r} lies outside of the workspace")
        return real

    def shown(self, path: Path) -> str:
        """Return a path as the model is to name it."""
        return str(path.relative_to(self.root)) if path != self.root else "."

    def read(self, path: Path) -> str:
        """Return the text of a file; raises ToolFailed for what is no text, or too large."""
        try:
            if path.stat().st_size > LONGEST_FILE:
                raise ToolFailed(f"{self.shown(path)} is larger than 10 MiB")
            return path.read_bytes().decode("utf-8")  # line ends stay as they are
        except UnicodeDecodeError as error:
            raise ToolFailed(f"{self.shown(path)} is no text") from error
        except OSError as error:
            raise ToolFailed(f"{self.shown(path)}: {error.strerror}") from error
