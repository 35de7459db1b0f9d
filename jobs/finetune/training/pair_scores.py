"""Scores of a prompt and its two answers, from one pass over both or with the prompt shared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mlx.core as mx
import numpy as np

from jobs.finetune.data.encoder import Pair
from jobs.finetune.training.batch import pad
from jobs.finetune.training.scoring import Scorer
from jobs.finetune.training.shared_prefix import score_answers

PAD_ANSWERS_TO = 16


@dataclass(frozen=True, slots=True)
class PairScores:
    """Summed log-probabilities of B pairs, (B,) each; a prompt's first token has none."""

    prompt: mx.array
    chosen: mx.array
    rejected: mx.array


class Scheme(Protocol):
    """A way to lay pairs out as arrays, and to score them. has_few_shapes: as of an objective."""

    @property
    def has_few_shapes(self) -> bool: ...

    def collate(self, pairs: Sequence[Pair]) -> Any: ...

    def score(self, arrays: Any) -> PairScores: ...


class Stacked:
    """Both answers behind a prompt of their own, all in one batch of 2B rows."""

    has_few_shapes = True

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def collate(self, pairs: Sequence[Pair]) -> Any:
        texts = [(*pair.prompt, *pair.chosen) for pair in pairs]
        texts += [(*pair.prompt, *pair.rejected) for pair in pairs]
        tokens, answers = pad(texts, [len(pair.prompt) for pair in pairs] * 2)
        _, whole = pad(texts, [0] * len(texts))
        return tokens, answers, whole - answers

    def score(self, arrays: Any) -> PairScores:
        tokens, answers, prompts = arrays
        logprobs = self._scorer.logprobs(tokens)
        chosen, rejected = mx.split(mx.sum(logprobs * answers, axis=-1), 2)
        prompt, _ = mx.split(mx.sum(logprobs * prompts, axis=-1), 2)
        return PairScores(prompt, chosen, rejected)


class Shared:
    """One pair after the other, each prompt computed once for both answers.

    num_layers: of the model, whose caches must all be plain (`can_share`).
    """

    has_few_shapes = False  # each prompt has a length of its own

    def __init__(self, scorer: Scorer, num_layers: int) -> None:
        self._scorer = scorer
        self._num_layers = num_layers

    def collate(self, pairs: Sequence[Pair]) -> Any:
        return [
            (mx.array([pair.prompt]), *_answer(pair.chosen), *_answer(pair.rejected))
            for pair in pairs
        ]

    def score(self, arrays: Any) -> PairScores:
        prompts, chosen, rejected = [], [], []
        for prompt, good, good_mask, bad, bad_mask in arrays:
            own, (better, worse) = score_answers(
                self._scorer, self._num_layers, prompt, [good, bad]
            )
            prompts.append(own.sum())
            chosen.append((better * good_mask).sum())
            rejected.append((worse * bad_mask).sum())
        return PairScores(mx.stack(prompts), mx.stack(chosen), mx.stack(rejected))


def _answer(tokens: Sequence[int]) -> tuple[mx.array, mx.array]:
    """(1, A) tokens and mask, A a multiple of PAD_ANSWERS_TO."""
    width = PAD_ANSWERS_TO * -(-len(tokens) // PAD_ANSWERS_TO)
    padded, mask = np.zeros((1, width), np.int32), np.zeros((1, width), np.float32)
    padded[0, : len(tokens)], mask[0, : len(tokens)] = tokens, 1
    return mx.array(padded), mx.array(mask)
