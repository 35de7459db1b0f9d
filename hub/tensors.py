"""What a safetensors file holds, from its header alone: names, types, sizes."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.errors import BrokenModel

LENGTH_BYTES = 8
# The format's own limit. A corrupt length must not make us read gigabytes.
MAX_HEADER_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor as its header describes it; `dtype` in the format's words ("BF16")."""

    dtype: str
    shape: tuple[int, ...]
    size_bytes: int


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Read the tensors of one file without reading their data.

    Raises BrokenModel for a file that is missing, cut short, or not safetensors.
    """
    try:
        header, data_bytes = _read_json(path)
        tensors = {
            name: _tensor(entry, data_bytes)
            for name, entry in header.items()
            if name != "__metadata__"
        }
    except OSError as error:
        raise BrokenModel(f"{path.name} cannot be read ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokenModel(f"{path.name} is cut short or not a safetensors file") from error
    return tensors


def _read_json(path: Path) -> tuple[dict[str, Any], int]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(LENGTH_BYTES), "little")
        data_bytes = path.stat().st_size - LENGTH_BYTES - length
        if length > MAX_HEADER_BYTES or data_bytes < 0:
            raise ValueError("header longer than the file or the limit")
        return json.loads(file.read(length)), data_bytes


def _tensor(entry: Any, data_bytes: int) -> TensorInfo:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= data_bytes:
        raise ValueError("tensor outside the file")
    return TensorInfo(entry["dtype"], tuple(entry["shape"]), end - start)
