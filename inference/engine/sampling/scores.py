"""Reads the log-probabilities that callers asked to see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from inference.engine.plan import TokenScores


@dataclass(frozen=True, slots=True)
class PendingScores:
    """Log-probabilities of some rows of a step, not yet computed.

    rows: their indices in the batch. counts: alternatives that each asked for.
    chosen: (R,) of the tokens drawn.
    top_ids, top_logprobs: (R, K) of the likeliest tokens, best first, or None.
    """

    rows: tuple[int, ...]
    counts: tuple[int, ...]
    chosen: mx.array
    top_ids: mx.array | None
    top_logprobs: mx.array | None

    @classmethod
    def of(
        cls, logprobs: mx.array, tokens: mx.array, rows: Sequence[int], counts: Sequence[int]
    ) -> "PendingScores":
        """Select from logprobs (B, V) and tokens (B,)."""
        index = mx.array(list(rows))
        asked = logprobs[index]
        chosen = mx.take_along_axis(asked, tokens[index][:, None], axis=-1)[:, 0]
        most = min(max(counts), logprobs.shape[-1])
        if most == 0:
            return cls(tuple(rows), tuple(counts), chosen, None, None)
        ids = mx.argpartition(-asked, kth=most - 1, axis=-1)[:, :most]
        values = mx.take_along_axis(asked, ids, axis=-1)
        order = mx.argsort(-values, axis=-1)
        return cls(
            tuple(rows),
            tuple(counts),
            chosen,
            mx.take_along_axis(ids, order, axis=-1),
            mx.take_along_axis(values, order, axis=-1),
        )

    @property
    def arrays(self) -> list[mx.array]:
        return [a for a in (self.chosen, self.top_ids, self.top_logprobs) if a is not None]

    def read(self) -> Mapping[int, TokenScores]:
        """Wait for the values; returns them by row."""
        chosen: Any = self.chosen.tolist()
        if self.top_ids is None or self.top_logprobs is None:
            return {row: TokenScores(chosen[i]) for i, row in enumerate(self.rows)}
        ids: Any = self.top_ids.tolist()
        values: Any = self.top_logprobs.tolist()
        return {
            row: TokenScores(chosen[i], tuple(zip(ids[i][:count], values[i][:count], strict=True)))
            for i, (row, count) in enumerate(zip(self.rows, self.counts, strict=True))
        }
