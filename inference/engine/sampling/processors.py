"""What changes logits before they become probabilities: bias and penalties.

Every function takes all rows at once; a row that does not use a stage carries its neutral
value. `ids` and `seen` are what `History` returns.
"""

from collections.abc import Mapping, Sequence

import mlx.core as mx

from inference.engine.sampling.layout import bounded


class History:
    """The newest tokens of each row, kept on the device.

    A step is launched before the token of the step before is read, so that token is
    appended here without ever being looked at.
    """

    def __init__(self, rows: Sequence[Sequence[int]], limit: int | None) -> None:
        """Begin with all tokens of each row but its newest.

        limit: how many tokens any row asks for, its newest included; None for all.
        """
        self._limit = limit
        if limit is not None:
            rows = [row[max(0, len(row) - limit + 1) :] for row in rows]
        width = max((len(row) for row in rows), default=0)
        padded = [[0] * (width - len(row)) + list(row) for row in rows]
        self._tokens = mx.array(padded, dtype=mx.int32).reshape(len(rows), width)
        self._lengths = mx.array([[len(row)] for row in rows], dtype=mx.int32)

    def append(self, newest: mx.array) -> None:
        """Add one token to each row. newest: (B,)."""
        self._tokens = mx.concatenate([self._tokens, newest[:, None].astype(mx.int32)], axis=1)
        self._lengths = self._lengths + 1
        if self._limit is not None and self._tokens.shape[1] > self._limit:
            self._tokens = self._tokens[:, -self._limit :]

    def window(self, sizes: mx.array) -> tuple[mx.array, mx.array]:
        """Return the tokens of each row's window, and which places hold one.

        sizes: (B, 1) int32; 0 means all.
        Returns (B, W) ids and (B, W) bool. A place outside the window repeats the newest
        token, so that stages that count a token once need no mask.
        """
        width = self._tokens.shape[1]
        age = mx.arange(width - 1, -1, -1)[None]
        inside = (age < self._lengths) & ((sizes == 0) | (age < sizes))
        return mx.where(inside, self._tokens, self._tokens[:, -1:]), inside


def bias_rows(biases: Sequence[Mapping[int, float]]) -> tuple[mx.array, mx.array]:
    """Lay out biases for `apply_bias`: (B, K) ids and values, padded with a bias of 0."""
    width = max(len(bias) for bias in biases)
    ids = [[*bias.keys(), *[0] * (width - len(bias))] for bias in biases]
    values = [[*map(bounded, bias.values()), *[0.0] * (width - len(bias))] for bias in biases]
    return mx.array(ids, dtype=mx.int32), mx.array(values, dtype=mx.float32)


def apply_bias(logits: mx.array, ids: mx.array, values: mx.array) -> mx.array:
    """Add a value to the logits of some tokens. logits: (B, V); ids, values: (B, K)."""
    return logits.at[_rows(logits), ids].add(values)


def apply_repetition(logits: mx.array, ids: mx.array, penalty: mx.array) -> mx.array:
    """Make tokens seen less likely, whatever the sign of their logits.

    logits: (B, V); ids: (B, W); penalty: (B, 1), 1 is neutral.
    Source: CTRL (Keskar et al., 2019).
    """
    old = mx.take_along_axis(logits, ids, axis=1)
    new = mx.where(old < 0, old * penalty, old / penalty)
    return mx.put_along_axis(logits, ids, new, axis=1)


def apply_presence(logits: mx.array, ids: mx.array, penalty: mx.array) -> mx.array:
    """Take `penalty` (B, 1) once from every token seen."""
    old = mx.take_along_axis(logits, ids, axis=1)
    return mx.put_along_axis(logits, ids, old - penalty, axis=1)


def apply_frequency(logits: mx.array, ids: mx.array, seen: mx.array, penalty: mx.array) -> mx.array:
    """Take `penalty` (B, 1) from a token for every time it was seen."""
    return logits.at[_rows(logits), ids].subtract(mx.where(seen, penalty, 0.0))


def _rows(logits: mx.array) -> mx.array:
    return mx.arange(logits.shape[0])[:, None]
