"""A fixed rotation that spreads what stands out in a vector over all of its numbers.

Signs, then the Walsh-Hadamard transform. What comes of any vector looks like numbers from a
Gaussian, whatever the vector was, and one table of levels suits them all.
"""

import random
from functools import cache

import mlx.core as mx

DIMENSIONS = (64, 128, 256, 512)


def rotate(vectors: mx.array) -> mx.array:
    """Rotate vectors (..., dimension); lengths and products stay."""
    return _transform(vectors * _signs(vectors.shape[-1], vectors.dtype))


def rotate_back(vectors: mx.array) -> mx.array:
    """Undo `rotate`."""
    return _transform(vectors) * _signs(vectors.shape[-1], vectors.dtype)


def _transform(vectors: mx.array) -> mx.array:
    """Apply the orthonormal Walsh-Hadamard transform, its own inverse."""
    # On a CPU, MLX writes past its buffers for sizes that it does not know.
    if vectors.shape[-1] not in DIMENSIONS:
        raise ValueError(f"vectors of {vectors.shape[-1]} numbers; rotated are {DIMENSIONS}")
    return mx.hadamard_transform(vectors)


@cache
def _sign_bits(dimension: int) -> tuple[int, ...]:
    numbers = random.Random(dimension)  # the same in every process: kept caches rely on it
    return tuple(numbers.choice((-1, 1)) for _ in range(dimension))


def _signs(dimension: int, dtype: mx.Dtype) -> mx.array:
    return mx.array(_sign_bits(dimension), dtype=dtype)
