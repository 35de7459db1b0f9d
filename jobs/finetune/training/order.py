"""Which rows each iteration reads: a pure function of the seed, so that a run can go on anywhere.

Rows come in a new random order in every pass over them, none is left out at the end of a pass,
and the batches of a stretch are made of rows of like length, which saves padding. What one update
sees depends on `batch_size * accumulation` alone: two batches of one row are one of two.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

STRETCH = 16  # updates whose rows are sorted by length together


class Order:
    """The rows of every iteration, by index.

    lengths: of all rows. A batch_size larger than their number is taken down to it.
    """

    def __init__(
        self, lengths: Sequence[int], batch_size: int, accumulation: int, seed: int
    ) -> None:
        self.batch_size = min(batch_size, len(lengths))
        self._lengths = lengths
        self._accumulation = accumulation
        self._seed = seed
        self._group = self.batch_size * accumulation
        self._stretch = max(1, min(STRETCH, len(lengths) // self._group))
        self._sorted = lru_cache(maxsize=1)(self._sort)

    def rows(self, iteration: int) -> list[int]:
        """Return the rows of an iteration, counted from 0."""
        update, part = divmod(iteration, self._accumulation)
        stretch, place = divmod(update, self._stretch)
        first = int(_shuffled(self._seed, 1, stretch, self._stretch)[place]) * self._group
        first += part * self.batch_size
        return self._sorted(stretch)[first : first + self.batch_size]

    def _sort(self, stretch: int) -> list[int]:
        """The rows of a stretch by their lengths."""
        size = self._stretch * self._group
        rows = [self._row(position) for position in range(stretch * size, (stretch + 1) * size)]
        return sorted(rows, key=lambda row: self._lengths[row])

    def _row(self, position: int) -> int:
        turn, place = divmod(position, len(self._lengths))
        return int(_shuffled(self._seed, 0, turn, len(self._lengths))[place])


@lru_cache(maxsize=4)
def _shuffled(seed: int, purpose: int, turn: int, size: int) -> Any:
    return np.random.default_rng([seed, purpose, turn]).permutation(size)
