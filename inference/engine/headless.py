"""Checkpoints of a model's body without its head, as embedding models are published.

mlx-lm loads whole language models. Qwen's own embedding checkpoints name their tensors as the
body does, and some leave the head out without saying that it is tied to the embedding.
"""

from collections.abc import Mapping
from typing import Any

import mlx.core as mx
from mlx_lm.models import qwen3


class HeadlessQwen3(qwen3.Model):  # type: ignore[misc] # mlx_lm ships no types
    """A Qwen3 whose checkpoint may be of its body alone; then the embedding is its head."""

    def sanitize(self, weights: dict[str, mx.array]) -> dict[str, mx.array]:
        named = {_in_whole_model(name): weight for name, weight in weights.items()}
        if "lm_head.weight" not in named and "lm_head" in self:
            del self["lm_head"]
            self.args.tie_word_embeddings = True
        sanitized: dict[str, mx.array] = super().sanitize(named)
        return sanitized


def find_headless_classes(config: Mapping[str, Any]) -> tuple[type, type]:
    """Return the classes of a model and its arguments, as mlx-lm's loader asks for them.

    Raises ValueError for model types that have none here.
    """
    if config.get("model_type") != "qwen3":
        raise ValueError(f"model type {config.get('model_type')} not supported without a head")
    return HeadlessQwen3, qwen3.ModelArgs


def _in_whole_model(name: str) -> str:
    return name if name.startswith(("model.", "lm_head.")) else f"model.{name}"
