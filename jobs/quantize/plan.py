"""Which module gets how many bits, and what that comes to in bytes."""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.quantize.config import GROUP_SIZES


@dataclass(frozen=True, slots=True)
class Width:
    """bits of a weight; group_size: weights that share a scale and an offset."""

    bits: int
    group_size: int


Plan = Mapping[str, Width]
"""Modules by name; those that are absent stay as they are."""


@dataclass(frozen=True, slots=True)
class Target:
    """A module that can be quantized.

    weights: how many. group_size: of its groups. scale_bytes: of one scale.
    fixed_bits: what the model's author prescribes, None for free choice.
    """

    weights: int
    group_size: int
    scale_bytes: int
    fixed_bits: int | None = None

    def size_bytes(self, bits: int) -> int:
        """Packed weights, scales and offsets, exactly as they are stored."""
        return self.weights * bits // 8 + 2 * self.scale_bytes * self.weights // self.group_size


def fitting_group(width: int, wanted: int) -> int | None:
    """The largest group size, `wanted` at most, that divides a row; None if none does."""
    sizes = [size for size in GROUP_SIZES if size <= wanted and width % size == 0]
    return max(sizes, default=None)
