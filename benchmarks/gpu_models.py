"""Models of published shapes with random weights, made in memory: speed asks for no more."""

from typing import Any

import mlx.core as mx
from mlx import nn
from mlx.utils import tree_map
from mlx_lm.models import qwen3
from mlx_lm.utils import dequantize_model

GROUP_SIZE = 64
VOCABULARY = 151936
_COMMON = {
    "model_type": "qwen3",
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": VOCABULARY,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1e6,
    "max_position_embeddings": 40960,
}
SHAPES: dict[str, dict[str, Any]] = {
    "Qwen3-0.6B": {
        "hidden_size": 1024,
        "num_hidden_layers": 28,
        "intermediate_size": 3072,
        "num_attention_heads": 16,
        "tie_word_embeddings": True,
    },
    "Qwen3-8B": {
        "hidden_size": 4096,
        "num_hidden_layers": 36,
        "intermediate_size": 12288,
        "num_attention_heads": 32,
        "tie_word_embeddings": False,
    },
}
WEIGHTS = ("bf16", "4-bit")


def make_model(shape: str, weights: str) -> Any:
    """Return a model of a shape in SHAPES, as its checkpoint of that kind is loaded."""
    mx.random.seed(0)
    model = qwen3.Model(qwen3.ModelArgs(**_COMMON, **SHAPES[shape]))
    model.update(tree_map(_random, model.parameters()))
    if weights == "4-bit":
        nn.quantize(model, group_size=GROUP_SIZE, bits=4)
    mx.eval(model.parameters())
    mx.clear_cache()
    return model


def make_ours(shape: str, weights: str) -> Any:
    """Return the model as `inference.engine.loader.load` leaves it on CUDA."""
    from inference.engine.cuda.accelerate import accelerate

    model = make_model(shape, weights)
    if weights != "bf16":
        dequantize_model(model)
        mx.eval(model.parameters())
    return accelerate(model)


def _random(weight: mx.array) -> mx.array:
    if weight.ndim == 1:
        return mx.ones(weight.shape, dtype=mx.bfloat16)
    drawn = mx.random.normal(weight.shape, dtype=mx.bfloat16) * 0.02
    mx.eval(drawn)  # one at a time: the draws of all would not fit beside them
    return drawn
