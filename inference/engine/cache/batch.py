"""The layer caches of the running batch: rows join and leave between steps.

A lone row keeps its own plain caches, which need no padding mask. As soon as a second row
joins, the caches are merged into mlx-lm's batch classes: right-aligned, padded on the
left. They are taken apart again when one row is left.
"""

from typing import Any

import mlx.core as mx

from inference.engine.cache.snapshot import clone
from inference.engine.sequence import Sequence


class BatchCache:
    """Rows and their caches, in one order. Thread: engine only."""

    def __init__(self) -> None:
        self.rows: list[Sequence] = []
        self.layers: list[Any] = []

    @property
    def nbytes(self) -> int:
        return sum(layer.nbytes for layer in self.layers)

    def join(self, row: Sequence, layers: list[Any]) -> None:
        """Append a row with its caches, which the batch owns from now on."""
        if not self.rows:
            self.layers = layers
        elif len(self.rows) == 1:
            pairs = zip(self.layers, layers, strict=True)
            self.layers = [type(ours).merge([ours, theirs]) for ours, theirs in pairs]
        else:
            for ours, theirs in zip(self.layers, layers, strict=True):
                ours.extend(type(theirs).merge([theirs]))
        self.rows.append(row)

    def extract(self, row: Sequence) -> list[Any]:
        """Copy the caches of one row out of the batch."""
        if len(self.rows) == 1:
            return [clone(layer) for layer in self.layers]
        index = self.rows.index(row)
        return [layer.extract(index) for layer in self.layers]

    def keep(self, indices: list[int]) -> None:
        """Drop every row whose index is not named; the order stays."""
        if len(indices) == len(self.rows):
            return
        if not indices:
            self.layers = []
        elif len(indices) == 1:
            self.layers = [layer.extract(indices[0]) for layer in self.layers]
        else:
            chosen = mx.array(indices)
            for layer in self.layers:
                layer.filter(chosen)
        self.rows = [self.rows[index] for index in indices]

    def clear(self) -> None:
        self.rows, self.layers = [], []
