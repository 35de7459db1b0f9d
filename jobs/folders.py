"""Folders that a user names, in a request or on a command line."""

import os
from pathlib import Path

from jobs.errors import JobError


def folder_of(text: str) -> Path:
    """The folder that a user means, there or not. Raises JobError for what no path can be."""
    try:
        if "\0" in text:
            raise ValueError("a zero byte")
        text.encode()
        path = Path(text).expanduser().absolute()
        _require_length(path)
    # Half a character, and a home that there is not.
    except (ValueError, RuntimeError) as error:
        shown = text if len(text) <= 100 else f"{text[:100]}…"
        raise JobError(f"{shown!r} is no path ({error}); name a folder") from error
    return path


def is_path(text: str) -> bool:
    """Whether a text that may be a name as well can only be a path."""
    return text.startswith(("/", "~"))


def has_file(folder: Path, name: str) -> bool:
    """Whether a folder has a file, as far as we may see."""
    try:
        return (folder / name).is_file()
    except OSError:
        return False


def _require_length(path: Path) -> None:
    """Raise ValueError for what the system would refuse whatever it is asked."""
    longest = os.pathconf("/", "PC_NAME_MAX")
    if any(len(os.fsencode(part)) > longest for part in path.parts):
        raise ValueError(f"a name of more than {longest} bytes")
    # Names of files in it have to fit as well.
    if len(os.fsencode(path)) + longest >= os.pathconf("/", "PC_PATH_MAX"):
        raise ValueError("it is too long")
