"""How one value for each row is laid out for the device."""

import math
from collections.abc import Sequence

import mlx.core as mx

# Beyond what any model gives, and far enough from the end of float32 that sums stay finite:
# infinities would make NaN of a row, and NaN lets any token be drawn.
LARGEST = 1e30


def column(values: Sequence[float]) -> mx.array:
    """Return (B, 1) float32, bounded except for infinities, which are meant."""
    return mx.array([[bounded(value)] for value in values], dtype=mx.float32)


def bounded(value: float) -> float:
    """Bring a number into the range that float32 can compute with."""
    return value if math.isinf(value) else min(max(value, -LARGEST), LARGEST)
