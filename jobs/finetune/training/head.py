"""A model taken apart: the body that makes hidden states, and the head that makes logits."""

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.linear import Linear
from mlx.nn.layers.quantized import QuantizedEmbedding, QuantizedLinear

from jobs.finetune.training.likeness import EXACT, is_alike


class Head:
    """Logits of hidden states, also of a part of the vocabulary only.

    module: the output layer, or the embedding whose weights serve as one.
    """

    def __init__(self, module: Any) -> None:
        self._module = module
        self._packed = isinstance(module, QuantizedLinear | QuantizedEmbedding)

    @property
    def size(self) -> int:
        """Words of the vocabulary."""
        return int(self._module.weight.shape[0])

    def __call__(self, states: mx.array, first: int = 0, end: int | None = None) -> mx.array:
        """(..., D) to (..., words), float32: the logits of words from `first` to `end`."""
        words = slice(first, end)
        module = self._module
        if self._packed:
            logits = mx.quantized_matmul(
                states,
                module.weight[words],
                scales=module.scales[words],
                biases=None if module.get("biases") is None else module.biases[words],
                transpose=True,
                group_size=module.group_size,
                bits=module.bits,
                mode=module.mode,
            )
        else:
            logits = states @ module.weight[words].T
        if "bias" in module:
            logits = logits + module.bias[words]
        return logits.astype(mx.float32)


def take_apart(model: Any) -> tuple[Callable[..., mx.array], Head] | None:
    """Return body and head, or None for a model whose logits are more than head(body(tokens)).

    Some scale or cap their logits; a look at a few tokens tells.
    """
    text = getattr(model, "language_model", model)
    body = getattr(text, "model", None)
    module = getattr(text, "lm_head", None) or getattr(body, "embed_tokens", None)
    known = Linear | QuantizedLinear | Embedding | QuantizedEmbedding
    if body is None or not isinstance(module, known):
        return None
    head = Head(module)
    tokens = mx.arange(8)[None] % head.size
    try:
        alike = is_alike(head(body(tokens)), model(tokens), within=EXACT)
    except (TypeError, ValueError, AttributeError):
        return None  # the body takes or returns something else
    return (body, head) if alike else None
