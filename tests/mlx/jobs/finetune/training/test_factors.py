from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.tuner.utils import load_adapters

from jobs.finetune.adapters.folder import Factors, read_adapter, write_adapter
from jobs.finetune.config import FinetuneConfig, InvalidField
from jobs.finetune.training.factors import to_adapter, warm_start
from jobs.finetune.training.lora import LoraLayers, add_lora
from jobs.finetune.training.trainer import set_weights, weights_of

Config = Callable[..., FinetuneConfig]
Load = Callable[..., Any]
PROBE = mx.arange(12)[None]
BITS = {
    "model.layers.0.self_attn.q_proj": 4,
    "model.layers.1.self_attn.q_proj": 4,
    "model.layers.1.self_attn.v_proj": 8,
}


def train_a_little(layers: LoraLayers) -> None:
    for module in layers.modules.values():
        module.lora_b = mx.random.normal(module.lora_b.shape) * 0.1


@pytest.mark.parametrize("kind", ["llama", "experts"])
@pytest.mark.parametrize("rs_lora", [False, True])
def test_mlx_lm_loads_what_was_trained(
    kind: str, rs_lora: bool, load_tiny: Load, config: Config, tmp_path: Path
) -> None:
    model = load_tiny(kind)
    layers = add_lora(model, config(rank=3, scale=2, rs_lora=rs_lora), BITS)
    train_a_little(layers)
    assert len(set(layers.ranks().values())) == 2

    write_adapter(tmp_path, to_adapter(layers, weights_of(model), "owner/base", {}))

    loaded = load_adapters(load_tiny(kind), str(tmp_path))
    loaded.eval()
    assert mx.allclose(loaded(PROBE), model(PROBE), rtol=1e-4, atol=1e-4).item()


def test_what_is_written_is_read(load_tiny: Load, config: Config, tmp_path: Path) -> None:
    model = load_tiny("experts")
    layers = add_lora(model, config(num_layers=1, lora_dropout=0.25), {})
    adapter = to_adapter(layers, weights_of(model), "owner/base", {"method": "sft"})

    write_adapter(tmp_path, adapter)

    read = read_adapter(tmp_path)
    assert (read.scale, read.base_model, read.num_layers) == (1.0, "owner/base", 1)
    assert (read.dropout, read.more) == (0.25, {"method": "sft"})
    for path, factors in adapter.layers.items():
        assert np.array_equal(read.layers[path].a, factors.a)
        assert np.array_equal(read.layers[path].b, factors.b)


@pytest.mark.parametrize("fields", [{}, {"rank": 5}, {"scale": 4.0}, {"rs_lora": True}], ids=str)
def test_a_warm_start_does_what_its_adapter_does(
    fields: dict[str, Any], load_tiny: Load, config: Config
) -> None:
    model = load_tiny()
    earlier = add_lora(model, config(rank=3, scale=2), {})
    train_a_little(earlier)
    adapter = to_adapter(earlier, weights_of(model), "owner/base", {})

    other = load_tiny()
    layers = add_lora(other, config(**{"rank": 3, "scale": 2, **fields}), {})
    set_weights(other, warm_start(layers, adapter, "earlier"))

    assert mx.allclose(other(PROBE), model(PROBE), rtol=1e-4, atol=1e-4).item()


def test_layers_that_the_adapter_lacks_begin_new(load_tiny: Load, config: Config) -> None:
    model = load_tiny()
    earlier = add_lora(model, config(target_modules=["q_proj"]), {})
    train_a_little(earlier)
    adapter = to_adapter(earlier, weights_of(model), "owner/base", {})

    other = load_tiny()
    layers = add_lora(other, config(), {})
    set_weights(other, warm_start(layers, adapter, "earlier"))

    assert mx.allclose(other(PROBE), model(PROBE), rtol=1e-4, atol=1e-4).item()


def adapter_of(load_tiny: Load, config: Config, **fields: Any) -> Any:
    model = load_tiny()
    layers = add_lora(model, config(**fields), {})
    train_a_little(layers)
    return to_adapter(layers, weights_of(model), "owner/base", {})


def test_a_warm_start_of_a_higher_rank_is_refused(load_tiny: Load, config: Config) -> None:
    adapter = adapter_of(load_tiny, config, rank=4)

    with pytest.raises(InvalidField, match=r"of rank 2 or less. .* has rank 4; set rank to it"):
        warm_start(add_lora(load_tiny(), config(rank=2), {}), adapter, "earlier")


def test_padding_is_no_rank(load_tiny: Load, config: Config) -> None:
    adapter = adapter_of(load_tiny, config, rank=2)
    padded = replace(adapter, layers={p: f.padded(16) for p, f in adapter.layers.items()})

    weights = warm_start(add_lora(load_tiny(), config(rank=2), {}), padded, "earlier")

    assert len(weights) == 28


def test_a_warm_start_of_other_layers_is_refused(load_tiny: Load, config: Config) -> None:
    adapter = adapter_of(load_tiny, config)

    with pytest.raises(InvalidField, match="add that to target_modules"):
        warm_start(add_lora(load_tiny(), config(target_modules=["q_proj"]), {}), adapter, "earlier")


def test_a_warm_start_of_another_model_is_refused(load_tiny: Load, config: Config) -> None:
    path = "model.layers.0.self_attn.q_proj"
    factors = Factors(np.ones((32, 2), np.float32), np.ones((2, 64), np.float32))
    adapter = replace(adapter_of(load_tiny, config), layers={path: factors})

    with pytest.raises(InvalidField, match=r"an adapter of the same model.* of another size"):
        warm_start(add_lora(load_tiny(), config(), {}), adapter, "earlier")
