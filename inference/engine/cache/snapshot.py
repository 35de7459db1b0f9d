"""Copy-on-write snapshots of a sequence's layer caches, whatever kinds they are.

A layer cache is one of mlx-lm's classes. Its arrays are shared between a snapshot and its
copies until one of them writes; MLX then gives the writer a buffer of its own.
"""

import copy
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from inference.engine.cache.kinds import can_cut, cut


def clone(cache: Any) -> Any:
    """Copy a layer cache so that writing to one leaves the other as it is.

    Slice assignment changes an `mx.array` object in place, so the copy needs array
    objects of its own; the buffers behind them are shared until written.
    """
    twin = copy.copy(cache)
    for name, value in vars(twin).items():
        setattr(twin, name, _own(value))
    return twin


def _own(value: Any) -> Any:
    if isinstance(value, mx.array):
        return copy.copy(value)
    if isinstance(value, list | tuple):
        return type(value)(_own(item) for item in value)
    if hasattr(value, "is_trimmable"):
        return clone(value)  # a cache made of caches
    return value


@dataclass(frozen=True, slots=True, weakref_slot=True)
class CacheSnapshot:
    """The layer caches after `length` tokens of one sequence; never written to."""

    layers: tuple[Any, ...]
    length: int

    @classmethod
    def of(cls, layers: list[Any], length: int) -> "CacheSnapshot":
        return cls(tuple(clone(layer) for layer in layers), length)

    @property
    def nbytes(self) -> int:
        return sum(layer.nbytes for layer in self.layers)

    @property
    def can_trim(self) -> bool:
        return can_cut(self.layers)

    def resume_at(self, length: int) -> list[Any]:
        """Return caches that go on after `length` tokens; cutting needs `can_trim`."""
        layers = [clone(layer) for layer in self.layers]
        if length < self.length:
            for layer in layers:
                cut(layer, self.length - length)
        return layers
