"""Puts low-rank layers on a model: which of its linear layers, of which rank, how strong.

The layers themselves are mlx-lm's, so that what is trained is what mlx-lm and the server load.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
from mlx.nn.layers.linear import Linear
from mlx.nn.layers.quantized import QuantizedLinear
from mlx.utils import tree_unflatten
from mlx_lm.models.switch_layers import QuantizedSwitchLinear, SwitchLinear
from mlx_lm.tuner.lora import LoRALinear, LoRASwitchLinear

from jobs.finetune.config import TARGETS, FinetuneConfig, InvalidField
from jobs.finetune.training.ranks import choose_ranks


@dataclass(frozen=True, slots=True)
class LoraLayers:
    """The adapted layers of a model, which is frozen but for them.

    modules: by path in the model. keys: their paths within a block, as mlx-lm's configuration
    lists them. num_layers: how many blocks are adapted, counted from the last.
    """

    modules: dict[str, Any]
    keys: tuple[str, ...]
    num_layers: int
    dropout: float

    def ranks(self) -> dict[str, int]:
        return {path: rank_of(module) for path, module in self.modules.items()}


def add_lora(model: Any, config: FinetuneConfig, bits: Mapping[str, int]) -> LoraLayers:
    """Replace the chosen linear layers by adapted ones. Raises InvalidField.

    bits: width of quantized modules by path. The first weights are drawn from mlx's random state:
    A at random, B zero, so that the adapter changes nothing yet.
    """
    num_layers = _num_layers(model, config.num_layers)
    blocks = model.layers[-num_layers:]
    chosen = _choose(blocks, config.target_modules)
    prefix = {id(module): path for path, module in model.named_modules()}
    paths = {
        (index, key): f"{prefix[id(block)]}.{key}"
        for index, block in enumerate(blocks)
        for key in chosen[index]
    }
    widths = {path: bits.get(path) for path in paths.values()}
    ranks = choose_ranks(widths, config.rank, config.rank_scaling)
    modules: dict[str, Any] = {}
    for index, block in enumerate(blocks):
        layers = {
            key: _adapted(chosen[index][key], ranks[paths[index, key]], config)
            for key in chosen[index]
        }
        block.update_modules(tree_unflatten(list(layers.items())))
        modules |= {paths[index, key]: layer for key, layer in layers.items()}
    keys = sorted({key for block in chosen for key in block})
    mx.eval(model.trainable_parameters())
    return LoraLayers(modules, tuple(keys), num_layers, config.lora_dropout)


def rank_of(module: Any) -> int:
    # Experts keep (experts, rank, inputs), others (inputs, rank); both have the rank second.
    return int(module.lora_a.shape[1])


def _num_layers(model: Any, asked: int) -> int:
    there = len(model.layers)
    if asked > there:
        remedy = "Leave it out for all."
        raise InvalidField("num_layers", asked, f"1 to {there}, the blocks of the model", remedy)
    return asked if asked > 0 else there


def _choose(blocks: Sequence[Any], targets: Sequence[str]) -> list[dict[str, Any]]:
    """The layers of each block that are meant, by their paths within it."""
    kinds = Linear | QuantizedLinear | SwitchLinear | QuantizedSwitchLinear
    there = [
        {key: module for key, module in block.named_modules() if isinstance(module, kinds)}
        for block in blocks
    ]
    known = {key for block in there for key in block}
    missing = [name for name in targets if not any(_means(name, key) for key in known)]
    if missing and (tuple(targets) != TARGETS or len(missing) == len(targets)):
        names = ", ".join(sorted({key.rpartition(".")[2] for key in known}))
        raise InvalidField("target_modules", missing[0], names, "Name layers that the model has.")
    return [
        {key: block[key] for key in sorted(block) if any(_means(name, key) for name in targets)}
        for block in there
    ]


def _means(name: str, key: str) -> bool:
    return key == name or key.endswith(f".{name}")


def _adapted(linear: Any, rank: int, config: FinetuneConfig) -> Any:
    # `scale` stands for alpha / rank. Rank-stabilised LoRA divides alpha by the root of the rank.
    scale = config.scale * math.sqrt(rank) if config.rs_lora else config.scale
    kind = LoRALinear if isinstance(linear, Linear | QuantizedLinear) else LoRASwitchLinear
    return kind.from_base(linear, r=rank, scale=scale, dropout=config.lora_dropout)
