"""Snapshots of the Hugging Face cache that this process reads, or may have to read again.

Garbage collection keeps them, in this process and in others: each is marked by a lock beside
those of the repo, which ends with the process. Where no lock can be made (a cache that is
read-only) nothing is marked; nothing can be deleted from there either.
"""

import contextlib
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.file_lock import FileLock
from hub.folders import CACHE_PREFIX, SNAPSHOTS

logger = logging.getLogger(__name__)

PATIENCE = 1.0  # seconds; whoever asks whether the lock is held has it for a moment
_lock = threading.Lock()
_held: dict[Path, FileLock] = {}


def keep_only(*folders: Path) -> None:
    """Mark these model folders, and none that were marked before. Any thread.

    A folder outside of a Hugging Face cache needs no mark: nobody collects it.
    """
    with _lock:
        wanted = {folder.resolve() for folder in folders}
        for folder in wanted - _held.keys():
            if (lock := _mark(folder)) is not None:
                _held[folder] = lock
        for folder in _held.keys() - wanted:
            _held.pop(folder).release()


@contextlib.contextmanager
def marked(*folders: Path) -> Iterator[None]:
    """Mark these model folders while the block runs, whatever `keep_only` is told. Any thread."""
    with contextlib.ExitStack() as stack:
        for folder in {folder.resolve() for folder in folders}:
            if (lock := _mark(folder)) is not None:
                stack.enter_context(lock)
        yield


def _mark(snapshot: Path) -> FileLock | None:
    repo = snapshot.parent.parent
    if snapshot.parent.name != SNAPSHOTS or not repo.name.startswith(CACHE_PREFIX):
        return None
    lock = CachedRepo(repo.parent, repo.name).use_lock(snapshot.name)
    try:
        if lock.share(patience=PATIENCE):
            return lock
    except OSError as error:
        logger.warning("%s cannot be marked as in use: %s", repo.name, error)
    return None
