"""Two ways to keep vectors in few bits: affine groups, and rotated with a table of levels.

A codec turns vectors (..., dimension) into a few arrays (..., *), one row for each vector,
and back. Codecs are values: two of equal fields read each other's codes.
"""

from functools import cache
from typing import NamedTuple

import mlx.core as mx

from inference.engine.cache.quantized.codebook import borders, lloyd_max_levels
from inference.engine.cache.quantized.packing import pack, unpack
from inference.engine.cache.quantized.rotation import rotate, rotate_back

Codes = tuple[mx.array, ...]

_SMALLEST_SCALE = 1e-12  # a vector of zeros stays one


class Affine(NamedTuple):
    """Groups of numbers, each with a scale and a bias: words, scales, biases."""

    bits: int
    group_size: int

    def encode(self, vectors: mx.array) -> Codes:
        words, scales, biases = mx.quantize(vectors, group_size=self.group_size, bits=self.bits)
        return words, scales, biases

    def decode(self, codes: Codes) -> mx.array:
        words, scales, biases = codes
        return mx.dequantize(words, scales, biases, group_size=self.group_size, bits=self.bits)


class Rotated(NamedTuple):
    """Rotated, scaled to unit variance, each number the nearest Lloyd-Max level: words, scales.

    Source: rotation before quantization as in QuaRot (Ashkboos et al., NeurIPS 2024) and
    TurboQuant (Zandieh et al., 2025).
    """

    bits: int

    def encode(self, vectors: mx.array) -> Codes:
        turned = rotate(vectors.astype(mx.float32))
        scales = mx.sqrt(mx.mean(mx.square(turned), axis=-1, keepdims=True))
        _, ends = _tables(self.bits)
        numbers = turned / mx.maximum(scales, _SMALLEST_SCALE)
        return pack(mx.searchsorted(ends, numbers), self.bits), scales.astype(vectors.dtype)

    def decode(self, codes: Codes) -> mx.array:
        words, scales = codes
        levels, _ = _tables(self.bits)
        return rotate_back(levels.astype(scales.dtype)[unpack(words, self.bits)] * scales)


Codec = Affine | Rotated


@cache
def _numbers(bits: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    levels = lloyd_max_levels(bits)
    return levels, borders(levels)


def _tables(bits: int) -> tuple[mx.array, mx.array]:
    """Return levels and the borders between them, as arrays of the calling thread."""
    levels, ends = _numbers(bits)
    return mx.array(levels), mx.array(ends)
