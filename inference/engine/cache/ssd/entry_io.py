"""Entries as files: written piece by piece, read and checked."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from inference.engine.cache.ssd.header import BadEntry, EntryHeader, ReadHeader, TensorSpec, encode
from inference.engine.cache.ssd.header import read as read_from


def write(file: BinaryIO, header: EntryHeader, take: Callable[[int], bytes]) -> None:
    """Write an entry into a new file of the right size.

    take: returns the bytes of a tensor by its number; may block. Raises OSError, and what
        `take` raises.
    """
    file.write(encode(header, {}))
    hashes = {}
    for index, tensor in enumerate(header.tensors):
        data = take(index)
        file.write(data)
        hashes[tensor.name] = hashlib.sha256(data).hexdigest()
    file.seek(0)
    file.write(encode(header, hashes))


def read_header(path: Path) -> EntryHeader:
    """Read and check what an entry says of itself; raises BadEntry, OSError."""
    with path.open("rb") as file:
        return read_from(file, path.stat().st_size).header


class OpenEntry:
    """An entry that is being read. header: of it. Raises BadEntry, OSError, here and later."""

    def __init__(self, file: BinaryIO, *, verify: bool) -> None:
        self._file = file
        self._verify = verify
        size = file.seek(0, 2)
        file.seek(0)
        self._read: ReadHeader = read_from(file, size)
        self.header = self._read.header

    def tensors(self) -> Iterator[tuple[TensorSpec, bytearray]]:
        """Yield every tensor with its bytes, checked against its hash if that was asked for."""
        self._file.seek(self._read.data_start)
        for tensor in self.header.tensors:
            data = bytearray(tensor.nbytes)
            if self._file.readinto(data) != tensor.nbytes:  # type: ignore[attr-defined] # binary
                raise BadEntry("cut short")
            if self._verify and hashlib.sha256(data).hexdigest() != self._read.hashes[tensor.name]:
                raise BadEntry(f"tensor {tensor.name} is corrupt")
            yield tensor, data
