"""A curve from log-probabilities to log-probabilities, drawn through points.

Between points it is the monotone cubic of Fritsch and Carlson (SIAM Journal on Numerical
Analysis, 1980), so it never overshoots what was drawn; beyond them it goes on straight.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

_LEAST_PERCENT = 1e-9
_LEVEL = -1e-12  # a fall as small as this is rounding


class NotMonotone(ValueError):
    """The points do not rise from left to right."""

    def __init__(self) -> None:
        super().__init__("curve is not monotone — all segment slopes must be ≥ 0")


@dataclass(frozen=True, slots=True)
class TransferCurve:
    """x, y: the points, natural logarithms of probabilities, x ascending. slopes: there."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    slopes: tuple[float, ...]

    @classmethod
    def through(cls, points: Iterable[tuple[float, float]]) -> "TransferCurve":
        """Draw the curve through points in percent; raises NotMonotone and ValueError.

        points: two or more, in any order, no two above one another.
        """
        drawn = sorted((_log(x), _log(y)) for x, y in points)
        x = tuple(point[0] for point in drawn)
        y = tuple(point[1] for point in drawn)
        if len(drawn) < 2 or any(right <= left for left, right in pairwise(x)):
            raise ValueError("a curve needs two points or more, each at an x of its own")
        secants = [(y[i + 1] - y[i]) / (x[i + 1] - x[i]) for i in range(len(x) - 1)]
        if min(secants) < _LEVEL:
            raise NotMonotone
        return cls(x, y, _slopes(x, secants))

    @property
    def left_slope(self) -> float:
        """Beyond the first point: at least 1, so that unlikely tokens stay unlikely."""
        return max(self.slopes[0], 1.0)


def _log(percent: float) -> float:
    return math.log(max(percent, _LEAST_PERCENT) / 100)


def _slopes(x: tuple[float, ...], secants: list[float]) -> tuple[float, ...]:
    inner = []
    for i in range(1, len(x) - 1):
        before, after = secants[i - 1], secants[i]
        if before * after <= 0:
            inner.append(0.0)
            continue
        near, far = x[i] - x[i - 1], x[i + 1] - x[i]
        one, other = 2 * far + near, far + 2 * near
        inner.append((one + other) / (one / before + other / after))
    return (secants[0], *inner, secants[-1])
