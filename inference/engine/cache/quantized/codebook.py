"""The levels that lose least of numbers from a unit Gaussian.

Source: Lloyd, "Least squares quantization in PCM" (1982); Max, "Quantizing for minimum
distortion" (1960). Where to begin: Panter and Dite (1951), by whom many levels lie as a
Gaussian three times as wide in variance has its quantiles.
"""

from functools import cache
from itertools import pairwise
from statistics import NormalDist

_UNIT = NormalDist()
_CLOSE_ENOUGH = 1e-6  # of the farthest step of any level
_MOST_ROUNDS = 20_000


@cache
def lloyd_max_levels(bits: int) -> tuple[float, ...]:
    """Return the 2**bits levels in ascending order, symmetric around zero."""
    half = 2 ** (bits - 1)
    wide = NormalDist(sigma=3**0.5)
    levels = [wide.inv_cdf(0.5 + (index + 0.5) / (2 * half)) for index in range(half)]
    for _ in range(_MOST_ROUNDS):
        moved = _centroids([0.0, *_midpoints(levels)])
        step = max(abs(new - old) for new, old in zip(moved, levels, strict=True))
        levels = moved
        if step < _CLOSE_ENOUGH:
            break
    return (*(-level for level in reversed(levels)), *levels)


def borders(levels: tuple[float, ...]) -> tuple[float, ...]:
    """Return where one level ends and the next is nearer: one fewer than there are levels."""
    return tuple(_midpoints(levels))


def _midpoints(levels: "tuple[float, ...] | list[float]") -> list[float]:
    return [(low + high) / 2 for low, high in pairwise(levels)]


def _centroids(cells: list[float]) -> list[float]:
    """Return the mean of the Gaussian in each cell; the last has no end."""
    density = [*map(_UNIT.pdf, cells), 0.0]
    beyond = [*(_UNIT.cdf(-border) for border in cells), 0.0]
    return [
        (here - there) / (mass - rest)
        for (here, there), (mass, rest) in zip(pairwise(density), pairwise(beyond), strict=True)
    ]
