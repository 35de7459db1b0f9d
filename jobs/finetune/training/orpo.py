"""Learning from pairs without a reference: ORPO."""

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from jobs.finetune.data.encoder import Pair
from jobs.finetune.training import losses
from jobs.finetune.training.batch import Batch
from jobs.finetune.training.objective import Sums
from jobs.finetune.training.pair_scores import Scheme


class Orpo:
    """An `Objective`; the loss is a mean over pairs, and within a pair over its tokens.

    weight: of the odds ratio. whole: the likelihood that is raised is that of the prompt and the
    chosen answer, not of the answer alone.
    """

    def __init__(
        self, pairs: Sequence[Pair], scheme: Scheme, *, weight: float, whole: bool
    ) -> None:
        self._pairs = pairs
        self._scheme = scheme
        self._weight = weight
        self._whole = whole
        self.has_few_shapes = scheme.has_few_shapes
        self.lengths = [pair.longest for pair in pairs]

    def collate(self, rows: Sequence[int]) -> Batch:
        pairs = [self._pairs[row] for row in rows]
        sizes = mx.array(
            [[len(pair.prompt) - 1, len(pair.chosen), len(pair.rejected)] for pair in pairs],
            mx.float32,
        )
        tokens = sum(2 * len(p.prompt) + len(p.chosen) + len(p.rejected) for p in pairs)
        return Batch((self._scheme.collate(pairs), sizes.T), len(pairs), tokens)

    def loss(self, model: Any, arrays: Any) -> Sums:
        layout, (prompt_size, chosen_size, rejected_size) = arrays
        scores = self._scheme.score(layout)
        chosen, rejected = scores.chosen / chosen_size, scores.rejected / rejected_size
        nll = -chosen
        if self._whole:
            nll = -(scores.prompt + scores.chosen) / (prompt_size + chosen_size)
        each, margin = losses.orpo(nll, chosen, rejected, self._weight)
        return each.sum(), {"margin": margin.sum(), "accuracy": (margin > 0).sum()}
