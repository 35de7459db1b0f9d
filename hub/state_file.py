"""Small JSON files in the state folder: read with forgiveness, replaced whole, private."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hub.errors import HubError
from hub.file_lock import FileLock

LOCK_PATIENCE = 10.0  # seconds; a change takes a few milliseconds


class NotSaved(HubError):
    """A file of the state folder cannot be written."""


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object in `path`; empty when there is no file or no object in it."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other threads and processes from changing `path` between a read and a write.

    Raises NotSaved where the lock, a file beside it, cannot be had. Readers need none.
    """
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        taken = lock.acquire(patience=LOCK_PATIENCE)
    except OSError as error:
        raise NotSaved(f"{path.name} cannot be saved ({error.strerror})") from error
    if not taken:
        raise NotSaved(f"{path.name} is being changed by another program; try again")
    with lock:
        yield


def write_object(path: Path, value: Mapping[str, Any]) -> None:
    """Replace `path` in one step, on the disk, readable by its owner alone (mode 0600).

    Whoever reads meanwhile sees the old file or the new one. Raises NotSaved.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _replace(path, json.dumps(value, indent=2) + "\n")
        _flush_folder(path.parent)
    except OSError as error:
        raise NotSaved(f"{path.name} cannot be saved ({error.strerror})") from error


def _replace(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # mode 0600
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
