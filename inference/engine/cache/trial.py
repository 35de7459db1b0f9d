"""Finds out by trying whether a model's attention can use the caches of a scheme.

Attention of mlx-lm's own reads affine codes; a model's own may not, or may get them wrong.
"""

import logging
from typing import Any

import mlx.core as mx

from inference.engine.batch_probe import distance
from inference.engine.cache.scheme import BF16, KvScheme

logger = logging.getLogger(__name__)

# A prompt in two pieces, then two single tokens: ids that every vocabulary has.
_PIECES = ([*range(100, 116)], [*range(40, 49)], [106], [99])
_TOLERANCE = 0.25  # of the logits' spread; 8 bits move them by a few hundredths at most


def find_fault(model: Any, scheme: KvScheme) -> str | None:
    """Return what goes wrong with a scheme fine enough to change next to nothing, else None.

    Thread: engine only.
    """
    expected = _logits(model, BF16)
    try:
        moved = distance(_logits(model, scheme), expected)
    except Exception as error:  # whatever it is, the model cannot use them
        logger.debug("attention failed with quantized keys and values", exc_info=True)
        return f"{type(error).__name__}: {str(error).partition('(')[0]:.60}"
    if not moved <= _TOLERANCE:
        return f"its answers differ by {moved:.2f} of their spread"
    return None


def _logits(model: Any, scheme: KvScheme) -> mx.array:
    layers = scheme.make_caches(model)
    for piece in _PIECES:
        logits = model(mx.array([piece]), cache=layers)
        mx.eval(logits)
    last: mx.array = logits[0, -1]
    return last
