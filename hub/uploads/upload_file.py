"""A file that counts how much of it was read, and is open only while that goes on."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


class UploadFile(io.BufferedIOBase):
    """Read-only. An upload may have thousands of files, and a process a thousand open at once.

    count: gets the size of what is read for the first time, once counting has begun.
    """

    def __init__(self, path: Path, count: Callable[[int], None]) -> None:
        self._path = path
        self._count = count
        self._file: BinaryIO | None = None
        self._position = 0
        self._furthest: int | None = None

    def begin_counting(self) -> None:
        self._furthest = 0

    def read(self, size: int | None = -1, /) -> bytes:
        if self._file is None:
            self._file = self._path.open("rb")
            self._file.seek(self._position)
        data = self._file.read(-1 if size is None else size)
        self._position += len(data)
        if not data or size is None or size < 0:
            self._file.close()
            self._file = None
        if self._furthest is not None and self._position > self._furthest:
            self._count(self._position - self._furthest)
            self._furthest = self._position
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        if whence == os.SEEK_CUR:
            offset += self._position
        elif whence == os.SEEK_END:
            offset += self._path.stat().st_size
        self._position = offset
        if self._file is not None:
            self._file.seek(offset)
        return offset

    def tell(self) -> int:
        return self._position

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        super().close()
