"""Learning from pairs by comparing with a reference: DPO."""

from collections.abc import Iterator, Sequence
from typing import Any

import mlx.core as mx
import numpy as np

from jobs.finetune.data.encoder import Pair
from jobs.finetune.training import losses
from jobs.finetune.training.batch import Batch, pad
from jobs.finetune.training.objective import Sums
from jobs.finetune.training.scoring import plain


class Dpo:
    """An `Objective`; the loss is a mean over pairs.

    The reference is the policy as training finds it: `compute_reference` runs once, before the
    first update. A new adapter adds nothing yet, so that is the base model, as with the adapter's
    scale at 0; one that was warm-started is itself the reference.
    """

    has_few_shapes = True

    def __init__(self, pairs: Sequence[Pair], beta: float) -> None:
        self._pairs = pairs
        self._beta = beta
        self._reference = np.zeros((len(pairs), 2), np.float32)
        self.lengths = [pair.longest for pair in pairs]

    def compute_reference(self, model: Any, batch_size: int) -> Iterator[int]:
        """Keep the summed log-probabilities of both answers; yield how many pairs were done."""
        order = sorted(range(len(self._pairs)), key=lambda row: self.lengths[row])
        for first in range(0, len(order), batch_size):
            rows = order[first : first + batch_size]
            tokens, mask, _ = self.collate(rows).arrays
            self._reference[rows] = np.array(_sums(model, tokens, mask)).reshape(2, -1).T
            yield len(rows)

    def collate(self, rows: Sequence[int]) -> Batch:
        """Chosen answers first, then the rejected ones in the same order."""
        pairs = [self._pairs[row] for row in rows]
        texts = [(*pair.prompt, *pair.chosen) for pair in pairs]
        texts += [(*pair.prompt, *pair.rejected) for pair in pairs]
        tokens, mask = pad(texts, [len(pair.prompt) for pair in pairs] * 2)
        reference = mx.array(self._reference[rows].T)
        return Batch((tokens, mask, reference), len(pairs), sum(map(len, texts)))

    def loss(self, model: Any, arrays: Any) -> Sums:
        tokens, mask, reference = arrays
        chosen, rejected = mx.split(_sums(model, tokens, mask), 2)
        each, margin = losses.dpo(chosen, rejected, reference[0], reference[1], self._beta)
        return each.sum(), {"margin": margin.sum(), "accuracy": (margin > 0).sum()}


def _sums(model: Any, tokens: mx.array, mask: mx.array) -> mx.array:
    """Log-probabilities of answers, (2B,)."""
    return mx.sum(plain(model).logprobs(tokens) * mask, axis=-1)
