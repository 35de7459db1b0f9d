"""Keeps processes of ours from writing to one vault at the same time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hub.file_lock import FileLock
from memory.errors import NotWritten

LOCK = ".writing.lock"
PATIENCE_SECONDS = 10.0


@contextmanager
def writing(root: Path) -> Iterator[None]:
    """Hold the lock of the vault in this folder, which must exist. Raises NotWritten."""
    lock = FileLock(root / LOCK)
    if lock.path.is_symlink():  # taking it would make a file somewhere else
        raise NotWritten(f"{LOCK} in the vault is a link; delete it")
    try:
        taken = lock.acquire(patience=PATIENCE_SECONDS)
    except OSError as error:
        raise NotWritten(f"the vault cannot be written: {error.strerror}") from error
    if not taken:
        raise NotWritten("another process writes to the vault; try again")
    with lock:
        yield
