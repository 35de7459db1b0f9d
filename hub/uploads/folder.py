"""The files of a folder that are its own, and so may leave this machine with it."""

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hub.folders import CACHE_PREFIX, SNAPSHOTS
from hub.uploads.errors import NoSource, UnsafeSource

MAX_FILES = 10_000
# What tools leave behind, and what nobody means to publish.
_SKIPPED_FOLDERS = frozenset({".git", ".cache", "__pycache__", ".venv", "node_modules"})
_SKIPPED_FILES = frozenset({".DS_Store", ".gitignore", "Thumbs.db"})


LeftOut = Callable[[str], bool]
"""Whether a file or a folder stays here, by its name below the folder that is uploaded."""


def nothing(name: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class OwnFile:
    """name: below the folder, with slashes. path: the real file, no link."""

    name: str
    path: Path
    size_bytes: int


def own_files(folder: Path, left_out: LeftOut = nothing) -> list[OwnFile]:
    """List the files of a folder, by name, without those that are left out.

    A link counts if it leads to a file of the folder, or in the Hugging Face cache to a blob of
    the same repo. Raises UnsafeSource for any other link, for a link to a folder, and for what is
    no file at all; NoSource for a folder that is missing or empty, has too many files, or cannot be
    read whole.
    """
    if not folder.is_dir():
        raise NoSource(f"there is no folder {folder}")
    files = [_own_file(folder, place) for place in _walk(folder, left_out)]
    if not files:
        raise NoSource(f"{folder} holds no file")
    return sorted(files, key=lambda file: file.name)


def is_own(folder: Path, file: Path) -> bool:
    """Whether a file below `folder`, or what it links to, belongs to it."""
    real = file.resolve()
    return any(real.is_relative_to(home) for home in _homes(folder))


def _homes(folder: Path) -> list[Path]:
    """Where the real files of a folder may be."""
    real = folder.resolve()
    repo = real.parent.parent
    if real.parent.name == SNAPSHOTS and repo.name.startswith(CACHE_PREFIX):
        return [real, repo / "blobs"]
    return [real]


def _walk(folder: Path, left_out: LeftOut) -> Iterator[Path]:
    count = 0

    def unreadable(error: OSError) -> None:
        place = _shown(folder, Path(error.filename))
        raise NoSource(f"{place} cannot be read ({error.strerror})") from error

    for parent, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _SKIPPED_FOLDERS and not left_out(_shown(folder, Path(parent) / name))
        )
        for name in folders:
            if (Path(parent) / name).is_symlink():
                raise UnsafeSource(
                    f"{_shown(folder, Path(parent) / name)} is a link to a folder: remove it first"
                )
        for name in names:
            if name in _SKIPPED_FILES or left_out(_shown(folder, Path(parent) / name)):
                continue
            count += 1
            if count > MAX_FILES:
                raise NoSource(
                    f"{folder} holds more than {MAX_FILES:,} files: choose a smaller one"
                )
            yield Path(parent) / name


def _own_file(folder: Path, place: Path) -> OwnFile:
    shown = _shown(folder, place)
    if not is_own(folder, place):
        raise UnsafeSource(f"{shown} is a link to a file outside of the folder: remove it first")
    real = place.resolve()
    try:
        facts = real.stat()
    except OSError as error:
        raise UnsafeSource(f"{shown} cannot be read ({error.strerror}): remove it first") from error
    if not stat.S_ISREG(facts.st_mode):
        raise UnsafeSource(f"{shown} is not a file: remove it first")
    return OwnFile(shown, real, facts.st_size)


def _shown(folder: Path, place: Path) -> str:
    return place.relative_to(folder).as_posix()
