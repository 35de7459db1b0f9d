"""Random numbers that depend on a row's seed and step alone, never on its neighbours."""

from collections.abc import Sequence

import mlx.core as mx

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
# Each stage that draws has keys of its own; this one is XTC's.
_XTC_STREAM = 0x5851F42D4C957F2D


def gumbel_rows(seeds: Sequence[int], steps: Sequence[int], size: int) -> mx.array:
    """Return (B, size) Gumbel noise.

    Adding it to log-probabilities and taking the largest draws from them
    (the Gumbel-max trick).
    """
    keys = mx.array([_key(s, t) for s, t in zip(seeds, steps, strict=True)], dtype=mx.uint32)
    noise: mx.array = mx.vmap(lambda key: mx.random.gumbel(shape=(size,), key=key))(keys)
    return noise


def uniform_rows(seeds: Sequence[int], steps: Sequence[int]) -> mx.array:
    """Return (B, 1) numbers, uniform over [0, 1), independent of `gumbel_rows`."""
    draws = [_key(s ^ _XTC_STREAM, t)[0] for s, t in zip(seeds, steps, strict=True)]
    return mx.array([[draw / 2**32] for draw in draws], dtype=mx.float32)


def _key(seed: int, step: int) -> tuple[int, int]:
    """Mix seed and step into a 64-bit key, in two halves (SplitMix64, Steele et al. 2014)."""
    z = (seed + (step + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    return z >> 32, z & 0xFFFFFFFF
