"""The Python files of a folder that a user names: real files, readable, and of bearable size."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from hub.model_files import open_file
from jobs.dataset.errors import DatasetError
from jobs.folders import folder_of

LARGEST_FILE = 2**20  # bytes; larger ones are data or generated
MOST_FILES = 50_000
_PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages"})

Skip = Callable[[str], None]
"""Takes what is passed over, in the plural, with the reason."""


def open_folder(text: str) -> Path:
    """Return the real path of a folder. Raises DatasetError if it cannot be read."""
    folder = folder_of(text)
    try:
        real = folder.resolve(strict=True)
        with os.scandir(real):
            return real
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DatasetError(
            f"{folder} is no folder that can be read ({reason}): name another"
        ) from error


def python_files(folder: Path, skip: Skip) -> list[Path]:
    """List files below a real folder that end in `.py`, in the order of their paths.

    No link is followed, be it of a file or a folder, so nothing outside is listed. Hidden folders
    and those of installed packages are passed over.
    Raises DatasetError for a folder with too many of them.
    """
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [
            name for name in folders if not (name.startswith(".") or name in _PASSED_OVER)
        ]
        for name in names:
            path = Path(parent) / name
            if not name.endswith(".py"):
                continue
            if path.is_symlink():
                skip("files that are links")
                continue
            found.append(path)
            if len(found) > MOST_FILES:
                raise DatasetError(
                    f"{folder} has more than {MOST_FILES:,} Python files: name a folder in it"
                )
    return sorted(found)


def read_source(path: Path, skip: Skip) -> str:
    """Return the text of a file; empty, after `skip` was told, if it is not fit to read."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            skip("files that are none")
            return ""
        with open_file(path) as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError:
        skip("files that cannot be read")
        return ""
    if len(data) > LARGEST_FILE:
        skip(f"files of more than {LARGEST_FILE:,} bytes")
        return ""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        skip("files that are not text in UTF-8")
        return ""
    return text.replace("\r\n", "\n")
