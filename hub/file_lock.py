"""A lock between processes and between threads, in a file that stays empty.

It dies with its process, so nothing has to be cleaned up after a crash. `huggingface_hub`
locks its blobs in the same way (flock), so the two respect each other.
"""

import errno
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
        try:
            taken = _try_until(time.monotonic() + patience, descriptor, mode)
        except BaseException:
            os.close(descriptor)
            raise
        if taken:
            self._descriptor = descriptor
        else:
            os.close(descriptor)
        return taken

    def _can_take(self, mode: int) -> bool:
        try:
            descriptor = _open_to_look(self.path)
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


def _open_to_look(path: Path) -> int:
    """Open a lock that is to stay as it is.

    NFS gives an exclusive lock only to a descriptor that may write; a cache that is read-only
    gives none of those.
    """
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
    return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _try_until(deadline: float, descriptor: int, mode: int) -> bool:
    while not _try(descriptor, mode):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def _try(descriptor: int, mode: int) -> bool:
    try:
        fcntl.flock(descriptor, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
