"""What the model expects next, as a histogram: how many tokens there are of each likelihood."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import make_prompt_cache

BINS = 80
# Left end of the axis, in nats; the right one is certainty.
LEAST = math.log(1e-6)


class SignalReader:
    """Reads histograms off an mlx-lm model. Thread: engine only, while no sequence holds a place.

    model: returns it; the reader keeps none, so that whoever unloads it has it alone.
    pass_tokens: tokens of one forward pass. make_room: called before each; raises when memory
        does not suffice for one.
    """

    def __init__(
        self, model: Callable[[], Any], pass_tokens: int, make_room: Callable[[], None]
    ) -> None:
        self._model = model
        self._pass_tokens = pass_tokens
        self._make_room = make_room

    def read(
        self, tokens: Sequence[int], check: Callable[[], None], adapted_model: Any = None
    ) -> tuple[list[int], int]:
        """Return the counts of `BINS` bins, and how many tokens there are.

        check: called before each pass; what it raises ends the work.
        adapted_model: called in the model's place; None for the weights as loaded.
        """
        layers = make_prompt_cache(self._model())
        model = self._model() if adapted_model is None else adapted_model
        for start in range(0, len(tokens), self._pass_tokens):
            check()
            self._make_room()
            piece = mx.array([tokens[start : start + self._pass_tokens]], dtype=mx.uint32)
            logits = model(piece, cache=layers)[0, -1].astype(mx.float32)
            mx.eval(logits, [layer.state for layer in layers])
        logprobs = np.array(logits - mx.logsumexp(logits))
        mx.clear_cache()
        return histogram(logprobs), len(logprobs)


def histogram(logprobs: "np.ndarray[Any, Any]") -> list[int]:
    """Count log-probabilities, evenly spaced from `LEAST` to 0; what lies below is in the first."""
    place = np.clip((logprobs - LEAST) / -LEAST, 0, 1)
    bins = np.minimum(BINS - 1, (BINS * place).astype(int))
    counts: list[int] = np.bincount(bins, minlength=BINS).tolist()
    return counts
