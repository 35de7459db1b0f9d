"""The format of an entry: a safetensors file whose metadata tell what it is.

    8 bytes   length of the header, little-endian
    header    JSON: `__metadata__` and a table of tensors, padded with blanks
    tensors   one behind the other, as the table says

`__metadata__` holds `entry`, a JSON text that `EntryHeader` describes, and `sha256`, the
digest of all the header but itself. Any reader of safetensors can look into such a file.
"""

import base64
import hashlib
import json
import sys
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from inference.engine.cache.ssd.config import Origin

FORMAT: Final = 1
_LENGTH_BYTES: Final = 8
_MAX_BYTES: Final = 100 * 2**20  # the format's own limit
_ALIGNMENT: Final = 64
_DIGEST: Final = "0" * 64  # stands where a SHA-256 is not known yet


class BadEntry(Exception):
    """A file is not an entry, or not a whole one, or not one of ours; the text says why."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One tensor. dtype: in safetensors' words ("BF16")."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    nbytes: int


@dataclass(frozen=True, slots=True)
class EntryHeader:
    """What an entry says of itself.

    tokens: that it covers. can_trim: whether a shorter prefix can be cut from it.
    layers: kind, offset and geometry of every layer cache, and where its tensors belong.
    tensors: in the order of the file. extra: what a generation's checkpoint adds.
    created: Unix seconds.
    """

    origin: Origin
    namespace: str
    tokens: list[int]
    can_trim: bool
    created: float
    layers: list[Any]
    tensors: tuple[TensorSpec, ...]
    extra: Mapping[str, Any] | None = None

    def covers(self, tokens: list[int], namespace: str) -> bool:
        """Tell whether the entry begins with these tokens."""
        return self.namespace == namespace and self.tokens[: len(tokens)] == tokens

    @property
    def data_bytes(self) -> int:
        return sum(tensor.nbytes for tensor in self.tensors)


@dataclass(frozen=True, slots=True)
class ReadHeader:
    """A header as it was read. data_start: where the tensors begin. hashes: SHA-256 of each."""

    header: EntryHeader
    data_start: int
    hashes: dict[str, str]


def file_bytes(header: EntryHeader) -> int:
    """Return the size that the whole file will have."""
    return len(encode(header, {})) + header.data_bytes


def encode(header: EntryHeader, hashes: Mapping[str, str]) -> bytes:
    """Write the length and the header; equally long whatever the hashes are, or none yet."""
    described = {
        "format": FORMAT,
        **header.origin.to_json(),
        "namespace": header.namespace,
        "created": header.created,
        "tokens": _write_tokens(header.tokens),
        "can_trim": header.can_trim,
        "layers": header.layers,
        "hashes": {tensor.name: hashes.get(tensor.name, _DIGEST) for tensor in header.tensors},
        "extra": header.extra,
    }
    table: dict[str, Any] = {"__metadata__": {"entry": json.dumps(described)}}
    offset = 0
    for tensor in header.tensors:
        table[tensor.name] = {
            "dtype": tensor.dtype,
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    table["__metadata__"]["sha256"] = _digest(table)
    text = json.dumps(table).encode()
    text += b" " * (-(_LENGTH_BYTES + len(text)) % _ALIGNMENT)
    return len(text).to_bytes(_LENGTH_BYTES, "little") + text


def read(file: BinaryIO, size: int) -> ReadHeader:
    """Read and check the header at the beginning of an open file of `size` bytes.

    Raises BadEntry, or OSError.
    """
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    start = _LENGTH_BYTES + length
    if start > size or length > _MAX_BYTES:
        raise BadEntry("cut short, or no entry")
    try:
        table = json.loads(file.read(length))
        metadata = table["__metadata__"]
        if metadata.pop("sha256") != _digest(table):
            raise BadEntry("the header is corrupt")
        found = _decode(json.loads(metadata["entry"]), table, start)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadEntry(f"not an entry: {error!r}") from error
    if start + found.header.data_bytes != size:
        raise BadEntry("cut short")
    return found


def _decode(entry: dict[str, Any], table: dict[str, Any], start: int) -> ReadHeader:
    if entry["format"] != FORMAT:
        raise BadEntry(f"format {entry['format']}, this version reads {FORMAT}")
    tensors = []
    for name, row in table.items():
        if name == "__metadata__":
            continue
        first, end = row["data_offsets"]
        tensors.append(TensorSpec(name, row["dtype"], tuple(row["shape"]), end - first))
    header = EntryHeader(
        origin=Origin(**{name: entry[name] for name in Origin.__slots__}),
        namespace=entry["namespace"],
        tokens=_read_tokens(entry["tokens"]),
        can_trim=entry["can_trim"],
        created=entry["created"],
        layers=entry["layers"],
        tensors=tuple(tensors),
        extra=entry["extra"],
    )
    return ReadHeader(header, start, entry["hashes"])


def _digest(table: dict[str, Any]) -> str:
    """Return the SHA-256 of what a header says, however its JSON is laid out."""
    text = json.dumps(table, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _write_tokens(tokens: list[int]) -> str:
    """Write token ids as little-endian 32-bit words in base64: a third of their JSON."""
    words = array("I", tokens)
    if sys.byteorder == "big":
        words.byteswap()
    return base64.b64encode(words.tobytes()).decode()


def _read_tokens(text: str) -> list[int]:
    words = array("I", base64.b64decode(text, validate=True))
    if sys.byteorder == "big":
        words.byteswap()
    return words.tolist()
