"""How one value for each row is laid out for the device."""

from collections.abc import Sequence

import mlx.core as mx


def column(values: Sequence[float]) -> mx.array:
    """Return (B, 1) float32."""
    return mx.array([[value] for value in values], dtype=mx.float32)
