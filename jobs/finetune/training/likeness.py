"""Whether a model computes what it computed before, up to rounding."""

import mlx.core as mx

# Shares of the length of all logits together. The same operations in another order; and in
# other pieces, through many layers in half precision.
EXACT, ROUNDED = 1e-3, 0.05


def is_alike(logits: mx.array, expected: mx.array, *, within: float) -> bool:
    """Compare two arrays of logits, of any shape and type; within: EXACT or ROUNDED."""
    if logits.shape != expected.shape:
        return False
    logits, expected = logits.astype(mx.float32), expected.astype(mx.float32)
    error = mx.linalg.norm(logits - expected, stream=mx.cpu)
    return bool((error <= within * mx.linalg.norm(expected, stream=mx.cpu)).item())
