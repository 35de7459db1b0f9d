"""What all methods have in common: rows in, batches of arrays, and a loss."""

from collections.abc import Sequence
from typing import Any, Protocol

import mlx.core as mx

from jobs.finetune.training.batch import Batch

Sums = tuple[mx.array, dict[str, mx.array]]
"""The sum of the losses of a batch, and sums of further figures of it, by name."""


class Objective(Protocol):
    """Rows to learn from. Sums, not means: so that batches of any size can be added up."""

    @property
    def lengths(self) -> Sequence[int]:
        """Tokens of each row."""

    @property
    def has_few_shapes(self) -> bool:
        """Whether batches differ little enough in shape for a step that is traced once for each."""

    def collate(self, rows: Sequence[int]) -> Batch:
        """Put rows, by index, into one batch."""

    def loss(self, model: Any, arrays: Any) -> Sums:
        """Run the model on a batch's arrays. Traced, so it looks at no value."""
