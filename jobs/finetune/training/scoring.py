"""Log-probabilities of given tokens, in as much memory as one allows.

A `Scorer` runs a model to states and scores targets from states. The plain one takes logits for
states. Those for long rows keep hidden states and make logits in chunks, which backwards are made
again: of tokens (fused cross entropy), of words of the vocabulary (flash cross entropy), or both.
The results are the same up to rounding.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.nn.losses import cross_entropy

from jobs.finetune.training.head import Head, take_apart

CHUNK_TOKENS = 256
CHUNK_WORDS = 8192
Score = Callable[[mx.array, mx.array], mx.array]


@dataclass(frozen=True, slots=True)
class Scorer:
    """run: tokens (B, L), layer caches or None -> states (B, L, D).

    score: states (B, L, D), targets (B, L) -> log-probabilities (B, L), float32; the states at
    a place are those that predict its target.
    """

    run: Callable[..., mx.array]
    score: Score

    def logprobs(self, tokens: mx.array) -> mx.array:
        """(B, L) to (B, L - 1): the log-probability of each token but the first."""
        return self.score(self.run(tokens[:, :-1]), tokens[:, 1:])


def plain(model: Any) -> Scorer:
    return Scorer(model, _from_logits)


def chunked(model: Any, *, tokens: int, by_words: bool) -> Scorer | None:
    """Return a scorer of less memory; None for a model that cannot be taken apart.

    tokens: how many have logits at once; 0 for all. by_words: chunks of the vocabulary too.
    """
    parts = take_apart(model)
    if parts is None:
        return None
    body, head = parts
    score = _by_words(head) if by_words else _from_states(head)
    return Scorer(body, _by_tokens(score, tokens) if tokens else score)


def _from_logits(logits: mx.array, targets: mx.array) -> mx.array:
    return -cross_entropy(logits.astype(mx.float32), targets)


def _from_states(head: Head) -> Score:
    def score(states: mx.array, targets: mx.array) -> mx.array:
        # The targets are no argument: a checkpoint asks for a gradient of every argument.
        return mx.checkpoint(lambda states: _from_logits(head(states), targets))(states)

    return score


def _by_tokens(score: Score, size: int) -> Score:
    def in_chunks(states: mx.array, targets: mx.array) -> mx.array:
        parts = [
            score(states[:, first:end], targets[:, first:end])
            for first, end in _spans(targets.shape[1], size)
        ]
        return mx.concatenate(parts, axis=1)

    return in_chunks


def _by_words(head: Head) -> Score:
    """The logarithm of the sum over words is built up chunk by chunk."""

    def score(states: mx.array, targets: mx.array) -> mx.array:
        parts = [
            mx.checkpoint(_chunk(head, targets, first, end))(states)
            for first, end in _spans(head.size, CHUNK_WORDS)
        ]
        totals, found = (mx.stack(list(each)) for each in zip(*parts, strict=True))
        return found.sum(axis=0) - mx.logsumexp(totals, axis=0)

    return score


def _chunk(
    head: Head, targets: mx.array, first: int, end: int
) -> Callable[[mx.array], tuple[mx.array, mx.array]]:
    """What the words from `first` to `end` add: to the sum, and to the targets' own logits."""

    def add(states: mx.array) -> tuple[mx.array, mx.array]:
        logits = head(states, first, end)
        inside = (targets >= first) & (targets < end)
        places = mx.where(inside, targets - first, 0)[..., None]
        own = mx.take_along_axis(logits, places, axis=-1).squeeze(-1)
        return mx.logsumexp(logits, axis=-1), mx.where(inside, own, 0.0)

    return add


def _spans(length: int, size: int) -> Iterator[tuple[int, int]]:
    for first in range(0, length, size):
        yield first, min(first + size, length)
