"""Between the weights of a model under training and an adapter in memory, both ways."""

from collections.abc import Mapping
from typing import Any

import mlx.core as mx
import numpy as np

from jobs.finetune.adapters.folder import Adapter, Array, Factors
from jobs.finetune.config import InvalidField
from jobs.finetune.training.lora import LoraLayers, rank_of
from jobs.finetune.training.optimizer import Weights


def to_adapter(
    layers: LoraLayers, weights: Weights, base_model: str, more: Mapping[str, Any]
) -> Adapter:
    """Return the weights as an adapter. Where layers differ in scale, B makes up for it."""
    scale = max(module.scale for module in layers.modules.values())
    factors = {}
    for path, module in layers.modules.items():
        a, b = _array(weights[f"{path}.lora_a"]), _array(weights[f"{path}.lora_b"])
        if module.scale != scale:
            b = b * np.float32(module.scale / scale)
        factors[path] = Factors(a, b)
    return Adapter(
        layers=factors,
        scale=scale,
        base_model=base_model,
        num_layers=layers.num_layers,
        dropout=layers.dropout,
        more=more,
    )


def warm_start(layers: LoraLayers, adapter: Adapter, where: str) -> Weights:
    """Return weights with which the model does what it does with `adapter`.

    Layers that the adapter does not know begin new. Raises InvalidField if the adapter changes
    layers that are not trained, or is of another size or a higher rank.
    """
    extra = sorted(set(adapter.layers) - set(layers.modules))
    if extra:
        raise InvalidField(
            "warm_start_adapter",
            where,
            "an adapter of layers that are trained here",
            f"It has {extra[0]}; add that to target_modules, or raise num_layers.",
        )
    weights: Weights = {}
    for path, factors in adapter.layers.items():
        module = layers.modules[path]
        weights |= _begun(module, factors.trimmed(), adapter.scale, path, where)
    return weights


def _begun(module: Any, factors: Factors, scale: float, path: str, where: str) -> Weights:
    """Put the factors in front; what is left of a higher rank stays as it was drawn."""
    a, b = _array(module.lora_a), np.zeros_like(_array(module.lora_b))
    rank = factors.rank
    if rank > rank_of(module):
        raise InvalidField(
            "warm_start_adapter",
            where,
            f"an adapter of rank {rank_of(module)} or less",
            f"{path} has rank {rank}; set rank to it.",
        )
    if a.shape[:-1] != factors.a.shape[:-1] or b.shape[-1] != factors.b.shape[-1]:
        allowed = "an adapter of the same model"
        raise InvalidField("warm_start_adapter", where, allowed, f"{path} is of another size.")
    a[..., :, :rank] = factors.a
    b[..., :rank, :] = factors.b * np.float32(scale / module.scale)
    return {f"{path}.lora_a": _stored(a), f"{path}.lora_b": _stored(b)}


def _array(weight: mx.array) -> Array:
    """(…, inputs, rank) or (…, rank, outputs); mlx-lm keeps those of experts transposed."""
    array = np.array(weight.astype(mx.float32))
    return array.swapaxes(-1, -2) if array.ndim == 3 else array


def _stored(array: Array) -> mx.array:
    return mx.array(np.ascontiguousarray(array.swapaxes(-1, -2) if array.ndim == 3 else array))
