"""What a safetensors file holds, from its header alone: names, types, sizes."""

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from hub.errors import BrokenModel
from hub.model_files import open_file

LENGTH_BYTES = 8
# The format allows 100 MB. A file of the largest models has some 2 MB, and a corrupt or
# hostile length must not fill the memory.
MAX_HEADER_BYTES = 16 * 2**20
MAX_TENSORS = 50_000
MAX_ENTRY_BYTES = 1024
MAX_DIMENSIONS = 8

# One member of the header: a name, and an object without objects in it. Quantifiers with a
# plus behind them never look back, so that no header takes more than linear time.
_STRING = rb'"(?:[^"\\]++|\\.)*+"'
_EMPTY = re.compile(rb"\{\s*+\}")
_MEMBER = re.compile(
    rb"\s*+(?P<name>" + _STRING + rb")\s*+:\s*+"
    rb"(?P<entry>\{(?:[^{}\"]++|" + _STRING + rb")*+\})\s*+(?P<next>[,}])",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor as its header describes it; `dtype` in the format's words ("BF16").

    start: where in the file its data begins, in bytes.
    """

    dtype: str
    shape: tuple[int, ...]
    size_bytes: int
    start: int = field(default=0, compare=False)


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Read the tensors of one file without reading their data.

    Takes 64 MB of memory at most and a second or so, whatever the file holds.
    Raises BrokenModel for a file that is missing, cut short, or not safetensors.
    """
    try:
        file = open_file(path)
    except OSError as error:
        raise BrokenModel(f"{path.name} cannot be read ({error.strerror})") from error
    with file:
        return read_open_header(file, path.name)


def read_open_header(file: BinaryIO, name: str) -> dict[str, TensorInfo]:
    """As `read_header`, of a file that is open, so that its data can be read after it.

    name: what errors call the file.
    """
    try:
        header, data_bytes = _read_header_bytes(file, name)
        data_start = LENGTH_BYTES + len(header)
        tensors = {}
        for tensor_name, entry in _members(header):
            if tensor_name != "__metadata__":
                tensors[tensor_name] = _tensor(entry, data_start, data_bytes)
            if len(tensors) > MAX_TENSORS:
                raise BrokenModel(f"{name} names more than {MAX_TENSORS:,} tensors")
        if sum(tensor.size_bytes for tensor in tensors.values()) > data_bytes:
            raise ValueError("tensors share bytes")
    except OSError as error:
        raise BrokenModel(f"{name} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BrokenModel(f"{name} is cut short or not a safetensors file") from error
    return tensors


def _read_header_bytes(file: BinaryIO, name: str) -> tuple[bytes, int]:
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    data_bytes = os.fstat(file.fileno()).st_size - LENGTH_BYTES - length
    if length < len(b"{}") or data_bytes < 0:
        raise ValueError("no header, or one longer than the file")
    if length > MAX_HEADER_BYTES:
        raise BrokenModel(f"the header of {name} is larger than {MAX_HEADER_BYTES:,} bytes")
    return file.read(length), data_bytes


def _members(header: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield one member after the other: parsed at once, a header of 16 MB can take 400."""
    text = header.strip()
    if not text.startswith(b"{"):
        raise ValueError("not an object")
    if _EMPTY.fullmatch(text):
        return
    position = 1
    while found := _MEMBER.match(text, position):
        name = json.loads(found["name"])
        # Metadata is nobody's business here, and may be long.
        yield name, {} if name == "__metadata__" else _entry(found["entry"])
        position = found.end()
        if found["next"] == b"}":
            break
    if position != len(text) or not text.endswith(b"}"):
        raise ValueError("not the object that a header is")


def _entry(text: bytes) -> Any:
    if len(text) > MAX_ENTRY_BYTES:
        raise ValueError("a tensor's entry is too long")
    return json.loads(text)


def _tensor(entry: dict[str, Any], data_start: int, data_bytes: int) -> TensorInfo:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= data_bytes:
        raise ValueError("tensor outside the file")
    shape = tuple(entry["shape"])
    if len(shape) > MAX_DIMENSIONS or not all(type(size) is int for size in shape):
        raise ValueError("no shape of a tensor")
    return TensorInfo(sys.intern(entry["dtype"]), shape, end - start, data_start + start)
