"""Drawn curves: log-probabilities bent by hand, in place of filters and temperature."""

from collections.abc import Sequence

import mlx.core as mx

from inference.request import SamplingParams
from inference.transfer_curve import TransferCurve


class TransferCurves:
    """The curves of all rows; a row without one is passed over."""

    def __init__(self, params: Sequence[SamplingParams]) -> None:
        self._curves = [p.transfer_curve for p in params]

    def apply(self, logprobs: mx.array, scores: mx.array) -> mx.array:
        """Return the scores to draw from: of rows with a curve its values, else `scores`.

        logprobs, scores: (B, V) float32.
        """
        rows = [
            scores[i] if curve is None else evaluate(curve, logprobs[i])
            for i, curve in enumerate(self._curves)
        ]
        return mx.stack(rows)


def evaluate(curve: TransferCurve, logprobs: mx.array) -> mx.array:
    """Return the curve's value at each of (V,) log-probabilities; what is forbidden stays so."""
    x, y, slopes = curve.x, curve.y, curve.slopes
    value = y[0] + curve.left_slope * (logprobs - x[0])
    for i in range(len(x) - 1):
        width = x[i + 1] - x[i]
        t = mx.clip((logprobs - x[i]) / width, 0, 1)
        piece = (
            y[i] * (1 + 2 * t) * (1 - t) ** 2
            + slopes[i] * width * t * (1 - t) ** 2
            + y[i + 1] * t**2 * (3 - 2 * t)
            + slopes[i + 1] * width * t**2 * (t - 1)
        )
        value = mx.where(logprobs >= x[i], piece, value)
    return mx.where(logprobs > x[-1], y[-1] + slopes[-1] * (logprobs - x[-1]), value)
