"""What was read of a session's file: one that is only appended to needs no second look."""

import os

from sessions.store.entries import Entry, read_entries

_COMPARED = 4096  # bytes, by which a file is known to be the one that was read


class LinesRead:
    """The entries of one file, of which only those that are new are read. One thread at a time."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._count = 0  # of lines, also of those that are no entries
        self._size = 0
        self._last = b""
        self._file: tuple[int, int] | None = None

    def entries(self, descriptor: int) -> list[Entry]:
        """Return all entries of the file that is open here, in file order; raises OSError."""
        if not self._is_known(descriptor):
            self._entries, self._count, self._size, self._last = [], 0, 0, b""
        with open(descriptor, "rb", closefd=False) as file:
            file.seek(self._size)
            lines = file.readlines()
        status = os.fstat(descriptor)
        # It may get the rest of its line, or a line break, before it is read again.
        torn = [lines.pop()] if lines and not lines[-1].endswith(b"\n") else []
        if lines:
            self._entries += self._read(lines)
            self._count += len(lines)
            self._size += sum(map(len, lines))
            self._last = lines[-1][-_COMPARED:]
            self._file = (status.st_dev, status.st_ino)
        return [*self._entries, *self._read(torn)]

    def _read(self, lines: list[bytes]) -> list[Entry]:
        previous = next((e.id for e in reversed(self._entries) if e.type != "session"), None)
        return list(read_entries(lines, first=self._count, previous=previous))

    def _is_known(self, descriptor: int) -> bool:
        status = os.fstat(descriptor)
        return (
            self._file == (status.st_dev, status.st_ino)
            and os.pread(descriptor, len(self._last), self._size - len(self._last)) == self._last
        )
