"""Which layers of a model can carry an adapter, and where each of them hangs."""

from collections import Counter
from typing import Any

import mlx.core as mx
from mlx.nn.layers.embedding import Embedding
from mlx.nn.layers.linear import Linear
from mlx.nn.layers.quantized import QuantizedEmbedding, QuantizedLinear
from mlx.utils import tree_flatten
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear

from inference.adapters.target import LayerKind, Target


def find_targets(model: Any) -> dict[str, Target]:
    """Return the layers of an mlx-lm model by path, before anything else is put in their place."""
    found = {}
    for path, module in model.named_modules():
        if (target := _target(module)) is not None:
            found[path] = target
    return found


def usual_dtype(model: Any) -> mx.Dtype:
    """Return the floating type that most parameters of a model have: that of its activations."""
    parameters: Any = tree_flatten(model.parameters())
    floating: Counter[mx.Dtype] = Counter(
        x.dtype for _, x in parameters if mx.issubdtype(x.dtype, mx.floating)
    )
    [(dtype, _)] = floating.most_common(1)
    return dtype


def place_of(model: Any, path: str) -> tuple[Any, Any]:
    """Return what holds a layer, and the key under which: a module and a name, or a list."""
    *outer, last = path.split(".")
    holder = model
    for part in outer:
        holder = holder[_key(holder, part)]
    return holder, _key(holder, last)


def _key(holder: Any, part: str) -> Any:
    return int(part) if isinstance(holder, list) else part


def _target(module: Any) -> Target | None:
    if isinstance(module, SwitchLinear | QuantizedSwitchLinear):
        return Target(LayerKind.EXPERTS, module.input_dims, module.output_dims, module.num_experts)
    if isinstance(module, Linear | QuantizedLinear):
        return Target(LayerKind.LINEAR, _width(module), module.weight.shape[0])
    if isinstance(module, Embedding | QuantizedEmbedding):
        return Target(LayerKind.EMBEDDING, module.weight.shape[0], _width(module))
    return None


def _width(module: Any) -> int:
    """Return how many numbers a row of the weight stands for."""
    columns: int = module.weight.shape[-1]
    return columns * 32 // module.bits if "scales" in module else columns
