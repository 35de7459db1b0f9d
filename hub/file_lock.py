"""A lock between processes and between threads, in a file that stays empty.

It dies with its process, so nothing has to be cleaned up after a crash. `huggingface_hub`
locks its blobs in the same way (flock), so the two respect each other.
"""

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

POLL_SECONDS = 0.01


class FileLock:
    """Held from `acquire` or `share` to `release`, by whichever thread calls them.

    Two objects on one path exclude each other, also within a process, unless both share.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, *, patience: float = 0) -> bool:
        """Take the lock; False if another holds it for longer than `patience` seconds.

        Raises OSError when the file cannot be made.
        """
        return self._take(fcntl.LOCK_EX, patience)

    def share(self, *, patience: float = 0) -> bool:
        """Take the lock beside others who share it; else as `acquire`."""
        return self._take(fcntl.LOCK_SH, patience)

    def is_held(self) -> bool:
        """Whether anybody has acquired the lock. Writes nothing."""
        return not self._can_take(fcntl.LOCK_SH)

    def is_shared_or_held(self) -> bool:
        """Whether anybody has the lock in either way. Writes nothing."""
        return not self._can_take(fcntl.LOCK_EX)

    def _take(self, mode: int, patience: float) -> bool:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        deadline = time.monotonic() + patience
        while not _try(descriptor, mode):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                return False
            time.sleep(POLL_SECONDS)
        self._descriptor = descriptor
        return True

    def _can_take(self, mode: int) -> bool:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            return True
        try:
            return _try(descriptor, mode)
        finally:
            os.close(descriptor)

    def release(self) -> None:
        """Give the lock back; without effect when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()


def _try(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
