"""One model's folder of entries, which several processes may share.

    <folder>/<fingerprint>-<scheme>/<namespace>/<uuid>.safetensors
                                                <uuid>.partial, while it is written
                                   /generations/<key>.safetensors
                                   /lock

Whoever adds a file holds the lock while it makes room: the new file takes its full size at
once, so that the files, half-written ones included, never exceed the limit. A partial file is
locked by whoever writes it; one that nobody has locked is left over from a process that died.
Nothing is touched that does not look like a file of ours.

Knows names, sizes and times, not what is in the files.
"""

import contextlib
import os
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from hub.file_lock import FileLock

ENTRY: Final = ".safetensors"
PARTIAL: Final = ".partial"
GENERATIONS: Final = "generations"
_LOCK: Final = "lock"
_LOCK_SECONDS: Final = 30  # the lock is held for a few file operations, never for a write
_OUR_FOLDERS = re.compile(r"[0-9a-f]{16}|" + GENERATIONS)
_OUR_FILES = re.compile(r"[0-9a-f]{32}(\.[0-9a-f]{32})?(" + ENTRY + "|" + PARTIAL + ")")


class NoRoom(Exception):
    """An entry does not fit within the limit; the text says why."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file of ours. modified_ns: when it was written or last used."""

    path: Path
    size: int
    modified_ns: int


class EntryFolder:
    """Where entries of one model and scheme are, for its owner's eyes only. Any thread.

    path: the model's folder. max_bytes: of all its files together.
    on_evict: is told of each file that was deleted to make room, in the calling thread.
    used_bytes: what the files take, as far as this process knows.
    Raises OSError when the folder cannot be made.
    """

    def __init__(self, path: Path, max_bytes: int, on_evict: Callable[[Path], None]) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.used_bytes = 0
        self._counting = threading.Lock()
        self._on_evict = on_evict
        self._make()

    def scan(self) -> list[StoredFile]:
        """Delete what dead processes left half-written; return the entries, oldest first.

        Raises OSError.
        """
        with self._locked():
            return self._entries()

    def trim(self) -> None:
        """Delete the oldest entries until the rest is within the limit. Raises OSError."""
        with self._locked(), contextlib.suppress(NoRoom):
            self._make_room(0)

    def new_path(self, namespace_key: str) -> Path:
        return self.path / namespace_key / f"{uuid.uuid4().hex}{ENTRY}"

    def generation_path(self, key: str) -> Path:
        """Name the file of a generation's checkpoint. key: 32 hex digits."""
        return self.path / GENERATIONS / f"{key}{ENTRY}"

    @contextlib.contextmanager
    def create(self, path: Path, size: int) -> Iterator[BinaryIO]:
        """Write a file of exactly `size` bytes, which appears whole or not at all.

        It is on disk when this returns. Raises NoRoom, OSError, and what the caller raises.
        """
        partial = path.with_name(f"{path.stem}.{uuid.uuid4().hex}{PARTIAL}")
        lock = FileLock(partial)
        taken = replaced = 0
        try:
            with self._locked():
                self._make_room(size)
                lock.acquire()  # makes the file
                os.truncate(partial, size)
                self._count(size)
                taken = size
            with partial.open("r+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            replaced = _size(path)
            partial.replace(path)
            for folder in (path.parent, self.path):
                _sync(folder)
        except BaseException:
            partial.unlink(missing_ok=True)
            self._count(-taken)
            raise
        finally:
            lock.release()
        self._count(-replaced)

    def discard(self, path: Path) -> None:
        """Delete a file of ours; harmless if it is gone or cannot be deleted."""
        size = _size(path)
        with contextlib.suppress(OSError):
            path.unlink()
            self._count(-size)

    def _make(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.mkdir(mode=0o700, exist_ok=True)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self._make()  # somebody may have deleted it
        with FileLock(self.path / _LOCK) as lock:
            if not lock.acquire(patience=_LOCK_SECONDS):
                raise TimeoutError(f"another process holds {lock.path}")
            yield

    def _make_room(self, size: int) -> None:
        """Delete the oldest entries until a file of `size` bytes fits. Holds the lock."""
        if size > self.max_bytes:
            raise NoRoom(f"an entry of {size:,} bytes is over the limit of {self.max_bytes:,}")
        for entry in self._entries():
            if self.used_bytes + size <= self.max_bytes:
                return
            entry.path.unlink(missing_ok=True)
            self._count(-entry.size)
            self._on_evict(entry.path)
        if self.used_bytes + size > self.max_bytes:
            raise NoRoom(f"{self.used_bytes:,} of {self.max_bytes:,} bytes are being written")

    def _entries(self) -> list[StoredFile]:
        """Count what is there; return the entries, oldest first. Holds the lock."""
        entries, used = [], 0
        for file in self._files():
            if file.path.suffix == ENTRY:
                entries.append(file)
            elif not FileLock(file.path).is_held():
                file.path.unlink(missing_ok=True)
                continue
            used += file.size
        with self._counting:
            self.used_bytes = used
        return sorted(entries, key=lambda entry: entry.modified_ns)

    def _count(self, added: int) -> None:
        with self._counting:
            self.used_bytes += added

    def _files(self) -> Iterator[StoredFile]:
        for folder in self.path.iterdir():
            if not _OUR_FOLDERS.fullmatch(folder.name) or folder.is_symlink():
                continue
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                for file in list(os.scandir(folder)):
                    if _OUR_FILES.fullmatch(file.name) and file.is_file(follow_symlinks=False):
                        facts = file.stat(follow_symlinks=False)
                        yield StoredFile(Path(file.path), facts.st_size, facts.st_mtime_ns)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _sync(folder: Path) -> None:
    """Make a new name in a folder last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
