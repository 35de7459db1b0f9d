"""The tone curve: log-probabilities bent at both ends, in place of temperature and filters."""

from collections.abc import Sequence

import mlx.core as mx

from inference.engine.sampling.layout import column
from inference.request import SamplingParams

_TINY = 1e-9  # keeps logarithms finite where the other branch is taken


class ToneCurves:
    """The curves of all rows; a row without one is passed over."""

    def __init__(self, params: Sequence[SamplingParams]) -> None:
        curves = [p.tone_curve for p in params]
        self.bent = mx.array([[curve is not None] for curve in curves])
        self._width = column([curve.width if curve else 0 for curve in curves])
        self._shoulder = column([curve.shoulder if curve else 0 for curve in curves])
        self._toe = column([curve.toe if curve else 0 for curve in curves])
        self._pivot_offset = column([curve.pivot_offset if curve else 0 for curve in curves])

    def apply(self, logprobs: mx.array, temperature: mx.array) -> mx.array:
        """Return the scores to draw from.

        logprobs: (B, V) float32, before any filter; temperature: (B, 1), above 0.
        With z the distance from the pivot and m = 1 / temperature: m z for |z| <= width;
        beyond it, the slope falls as scale / (scale + distance). A scale of 0 goes on straight.
        """
        pivot = mx.max(logprobs, axis=-1, keepdims=True) - self._pivot_offset
        z = logprobs - pivot
        slope = 1 / temperature
        beyond = mx.maximum(mx.abs(z) - self._width, 0)
        scale = mx.where(z > 0, self._shoulder, self._toe)
        softened = scale * mx.log1p(beyond / mx.maximum(scale, _TINY))
        length = mx.minimum(mx.abs(z), self._width) + mx.where(scale > 0, softened, beyond)
        # What a grammar forbids stays forbidden: an infinite distance bends to itself.
        return mx.sign(z) * slope * length
