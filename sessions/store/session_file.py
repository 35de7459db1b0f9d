"""One session's file: read with forgiveness, and only ever appended to."""

import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sessions.errors import NotRead, NotWritten, SessionNotFound
from sessions.store.entries import Entry, read_entries
from sessions.store.lines_read import LinesRead


class SessionFile:
    """The file `path`. May block: not for the event loop.

    Each append is one write, under a lock that other tabs and processes take as well, so lines
    never interleave. What was appended is on the disk when `append` returns; a crash can lose
    the line it interrupted and nothing before it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = LinesRead()

    @property
    def name(self) -> str:
        return self.path.name

    def read(self) -> list[Entry]:
        """Return the entries in file order; raises SessionNotFound and NotRead."""
        try:
            with self.path.open("rb") as file:
                return list(read_entries(file))
        except FileNotFoundError as error:
            raise SessionNotFound from error
        except OSError as error:
            raise NotRead(f"the session cannot be read ({error.strerror})") from error

    def append(self, entries: Sequence[Entry]) -> None:
        """Add lines at the end; raises SessionNotFound and NotWritten."""
        with self._locked(os.O_RDWR) as descriptor:
            _append(descriptor, _lines(entries))

    def follow(self, make: Callable[[list[Entry]], Sequence[Entry]]) -> list[Entry]:
        """Add the entries that `make` gives for those that stand here, and return all of them.

        Nobody writes between the two. Raises as `append` does.
        """
        with self._locked(os.O_RDWR) as descriptor:
            # Not opened again: there may be no descriptor left, or another file of this name.
            entries = self._lines.entries(descriptor)
            new = make(entries)
            _append(descriptor, _lines(new))
        return [*entries, *new]

    def create(self, entry: Entry) -> None:
        """Make the file with its first line; raises NotWritten."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._locked(os.O_RDWR | os.O_CREAT | os.O_EXCL) as descriptor:
            _append(descriptor, _lines([entry]))

    @contextmanager
    def _locked(self, flags: int) -> Iterator[int]:
        try:
            descriptor = os.open(self.path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except FileNotFoundError as error:
            raise SessionNotFound from error
        except OSError as error:
            raise NotWritten(f"the session cannot be saved ({error.strerror})") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        except OSError as error:
            raise NotWritten(f"the session cannot be saved ({error.strerror})") from error
        finally:
            os.close(descriptor)


def _lines(entries: Sequence[Entry]) -> bytes:
    text = "".join(json.dumps(entry.data, ensure_ascii=False) + "\n" for entry in entries)
    # Half of a pair of surrogates has no UTF-8; nothing a model says may break a file.
    return text.encode("utf-8", "replace")


def _append(descriptor: int, data: bytes) -> None:
    """Write all or nothing at the end. Whoever died in the midst of a line left it torn: then a
    new line begins first, and the torn one is passed over by readers."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    if end and os.pread(descriptor, 1, end - 1) != b"\n":
        data = b"\n" + data
    try:
        written = os.write(descriptor, data)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, end)
        raise
