"""Layer caches as plain bytes and JSON, and back.

A cache is written as its attributes: arrays go into a table of tensors, cut to the tokens that
are live, everything else into JSON. It is made again of one of the classes in `CLASSES`, and
of no other: a file names a class, it never brings one along.

Thread: engine only, but for `PackedSnapshot.tensors`, `layers` and `nbytes`.
"""

from collections.abc import Callable
from typing import Any, Final

import mlx.core as mx
from mlx_lm.models.cache import (
    ArraysCache,
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)

from inference.engine.cache.quantized.affine import AffineCache
from inference.engine.cache.quantized.decoded import DecodedAffineCache, TurboCache
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd.header import BadEntry, TensorSpec

CLASSES: Final[dict[str, type]] = {
    kind.__name__: kind
    for kind in (
        ArraysCache,
        CacheList,
        ChunkedKVCache,
        KVCache,
        QuantizedKVCache,
        RotatingKVCache,
        AffineCache,
        DecodedAffineCache,
        TurboCache,
    )
}
_DTYPES: Final = {
    mx.bool_: "BOOL",
    mx.uint8: "U8",
    mx.int8: "I8",
    mx.uint16: "U16",
    mx.int16: "I16",
    mx.float16: "F16",
    mx.bfloat16: "BF16",
    mx.uint32: "U32",
    mx.int32: "I32",
    mx.float32: "F32",
    mx.uint64: "U64",
    mx.int64: "I64",
}
_BY_NAME: Final = {name: dtype for dtype, name in _DTYPES.items()}


class CannotPack(Exception):
    """A layer cache is of a kind that is not written to disk; the text names it."""


class PackedSnapshot:
    """A snapshot on its way to disk: one tensor after the other becomes bytes.

    layers: JSON of the layer caches. tensors: what they refer to, in order.
    nbytes: of all tensors. Raises CannotPack.
    """

    def __init__(self, snapshot: CacheSnapshot) -> None:
        self.tensors: list[TensorSpec] = []
        self._arrays: list[mx.array | None] = []
        self._bytes: dict[int, bytes] = {}
        self.layers = [
            self._write_cache(layer, str(index)) for index, layer in enumerate(snapshot.layers)
        ]
        self.nbytes = sum(tensor.nbytes for tensor in self.tensors)

    def take(self, index: int) -> bytes:
        """Return the bytes of a tensor, once, and let go of it."""
        self._copy(index)
        return self._bytes.pop(index)

    def copy_all(self) -> None:
        """Let go of all arrays now: what was not taken yet is bytes from here on."""
        for index, held in enumerate(self._arrays):
            if held is not None:
                self._copy(index)

    def _copy(self, index: int) -> None:
        held, self._arrays[index] = self._arrays[index], None
        if held is not None:
            flat: Any = mx.contiguous(held).reshape(-1).view(mx.uint8)
            self._bytes[index] = bytes(memoryview(flat))

    def _write_cache(self, cache: Any, name: str) -> dict[str, Any]:
        kind = type(cache).__name__
        if CLASSES.get(kind) is not type(cache):
            raise CannotPack(f"layer caches of the kind {kind} are not written to disk")
        return {
            "kind": kind,
            "attributes": {
                attribute: self._write(value, f"{name}.{attribute}")
                for attribute, value in _live_attributes(cache).items()
            },
        }

    def _write(self, value: Any, name: str) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, mx.array):
            return {"tensor": self._add(value, name)}
        if isinstance(value, list | tuple):
            parts = [self._write(part, f"{name}.{index}") for index, part in enumerate(value)]
            return {"list" if isinstance(value, list) else "tuple": parts}
        return {"cache": self._write_cache(value, name)}

    def _add(self, value: mx.array, name: str) -> str:
        if (dtype := _DTYPES.get(value.dtype)) is None:
            raise CannotPack(f"arrays of {value.dtype} are not written to disk")
        self._arrays.append(value)
        self.tensors.append(TensorSpec(name, dtype, tuple(value.shape), value.nbytes))
        return name


def restore_layers(layers: list[Any], tensors: dict[str, mx.array]) -> tuple[Any, ...]:
    """Make layer caches of their JSON and their tensors; raises BadEntry if they do not fit."""
    try:
        return tuple(_read_cache(layer, tensors.pop) for layer in layers)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadEntry(f"its layer caches make no sense: {error!r}") from error


def to_array(data: bytearray, tensor: TensorSpec) -> mx.array:
    """Make an array, of memory of its own, of a tensor's bytes; raises BadEntry."""
    view: Any = memoryview(data)
    try:
        flat = mx.array(view).view(_BY_NAME[tensor.dtype])
        array: mx.array = flat.reshape(tensor.shape)
    except (KeyError, ValueError) as error:
        raise BadEntry(f"tensor {tensor.name} makes no sense: {error!r}") from error
    return array


def same_kinds(layers: tuple[Any, ...], fresh: list[Any]) -> bool:
    """Tell whether layer caches are of the kinds that a model begins with."""
    return [_kinds(layer) for layer in layers] == [_kinds(layer) for layer in fresh]


def _kinds(cache: Any) -> list[str]:
    parts = cache.caches if isinstance(cache, CacheList) else ()
    return [type(cache).__name__, *(kind for part in parts for kind in _kinds(part))]


def _live_attributes(cache: Any) -> dict[str, Any]:
    """Return all that a cache holds, but for room that no token has taken yet."""
    attributes = dict(vars(cache))
    if attributes.get("keys") is not None and hasattr(cache, "keys_and_values"):
        attributes["keys"], attributes["values"] = cache.keys_and_values()
    return attributes


def _read_cache(description: dict[str, Any], take: Callable[[str], mx.array]) -> Any:
    cache: Any = object.__new__(CLASSES[description["kind"]])
    for attribute, value in description["attributes"].items():
        setattr(cache, attribute, _read(value, take))
    return cache


def _read(value: Any, take: Callable[[str], mx.array]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    match kind:
        case "tensor":
            return take(held)
        case "list":
            return [_read(part, take) for part in held]
        case "tuple":
            return tuple(_read(part, take) for part in held)
        case "cache":
            return _read_cache(held, take)
    raise ValueError(f"a value of the kind {kind}")
