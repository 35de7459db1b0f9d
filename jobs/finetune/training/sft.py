"""Learning from answers: cross entropy of the tokens that count."""

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

from jobs.finetune.data.encoder import Example
from jobs.finetune.training.batch import Batch, pad
from jobs.finetune.training.objective import Sums
from jobs.finetune.training.scoring import plain


class Sft:
    """An `Objective`; the loss is a mean over tokens, whichever rows they are in."""

    has_few_shapes = True

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples
        self.lengths = [len(example.tokens) for example in examples]

    def collate(self, rows: Sequence[int]) -> Batch:
        examples = [self._examples[row] for row in rows]
        tokens, mask = pad(
            [example.tokens for example in examples], [example.start for example in examples]
        )
        count = sum(len(example.tokens) - max(example.start, 1) for example in examples)
        return Batch((tokens, mask), count, sum(len(example.tokens) for example in examples))

    def loss(self, model: Any, arrays: Any) -> Sums:
        tokens, mask = arrays
        return -mx.sum(plain(model).logprobs(tokens) * mask), {}
