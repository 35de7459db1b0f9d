from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from jobs.finetune.config import FinetuneConfig, InvalidField
from jobs.finetune.training.lora import LoraLayers, add_lora

Config = Callable[..., FinetuneConfig]
Load = Callable[..., Any]
PROBE = mx.arange(12)[None]


def test_a_new_adapter_changes_nothing(load_tiny: Load, config: Config) -> None:
    model = load_tiny()
    before = model(PROBE)

    add_lora(model, config(), {})

    assert mx.array_equal(model(PROBE), before).item()


def test_nothing_but_the_adapter_is_trained(load_tiny: Load, config: Config) -> None:
    model = load_tiny()
    layers = add_lora(model, config(), {})
    trained = {path for path, _ in tree_flatten(model.trainable_parameters())}

    assert trained == {f"{path}.lora_{side}" for path in layers.modules for side in "ab"}
    assert len(layers.modules) == 14


@pytest.mark.parametrize("asked", [-1, 0, 2])
def test_all_blocks_can_be_adapted(asked: int, load_tiny: Load, config: Config) -> None:
    layers = add_lora(load_tiny(), config(num_layers=asked), {})

    assert layers.num_layers == 2


def test_fewer_blocks_are_the_last_ones(load_tiny: Load, config: Config) -> None:
    layers = add_lora(load_tiny(), config(num_layers=1), {})

    assert layers.num_layers == 1
    assert {path.split(".")[2] for path in layers.modules} == {"1"}


def test_more_blocks_than_there_are_is_refused(load_tiny: Load, config: Config) -> None:
    with pytest.raises(InvalidField, match="num_layers is 3; allowed: 1 to 2"):
        add_lora(load_tiny(), config(num_layers=3), {})


def test_only_the_named_layers_are_adapted(load_tiny: Load, config: Config) -> None:
    targets = ["q_proj", "mlp.up_proj"]

    layers = add_lora(load_tiny(), config(target_modules=targets), {})

    assert layers.keys == ("mlp.up_proj", "self_attn.q_proj")


def test_a_layer_that_the_model_lacks_is_refused_with_those_it_has(
    load_tiny: Load, config: Config
) -> None:
    with pytest.raises(
        InvalidField, match="target_modules is 'qkv_proj'; allowed: down_proj, gate"
    ):
        add_lora(load_tiny(), config(target_modules=["q_proj", "qkv_proj"]), {})


def test_of_the_usual_layers_a_model_may_lack_some(load_tiny: Load, config: Config) -> None:
    layers = add_lora(load_tiny("deepseek_v3"), config(), {})

    assert "self_attn.o_proj" in layers.keys
    assert "self_attn.q_proj" not in layers.keys


def test_experts_are_adapted_one_by_one(load_tiny: Load, config: Config) -> None:
    layers = add_lora(load_tiny("experts"), config(rank=4), {})
    module = layers.modules["model.layers.0.mlp.switch_mlp.up_proj"]

    assert module.lora_a.shape == (4, 4, 64)
    assert layers.ranks()["model.layers.0.mlp.switch_mlp.up_proj"] == 4


def test_layers_kept_in_more_bits_get_a_larger_rank(load_tiny: Load, config: Config) -> None:
    model = load_tiny(bits=4)
    bits = {path: 4 for path, module in model.named_modules() if "scales" in module}
    bits["model.layers.1.self_attn.v_proj"] = 8

    ranks = add_lora(model, config(rank=4), bits).ranks()

    assert ranks.pop("model.layers.1.self_attn.v_proj") == 8
    assert set(ranks.values()) == {4}


def scales(layers: LoraLayers) -> set[float]:
    return {module.scale for module in layers.modules.values()}


def test_the_scale_is_alpha_over_the_rank(load_tiny: Load, config: Config) -> None:
    assert scales(add_lora(load_tiny(), config(rank=4, scale=3), {})) == {3.0}


def test_rank_stabilised_alpha_is_over_the_root_of_the_rank(
    load_tiny: Load, config: Config
) -> None:
    assert scales(add_lora(load_tiny(), config(rank=4, scale=3, rs_lora=True), {})) == {6.0}


def test_dropout_leaves_out_a_part_in_training_only(load_tiny: Load, config: Config) -> None:
    model = load_tiny()
    layers = add_lora(model, config(lora_dropout=0.5), {})
    for module in layers.modules.values():
        module.lora_b = mx.ones(module.lora_b.shape)

    model.eval()
    assert mx.array_equal(model(PROBE), model(PROBE)).item()
    model.train()
    assert not mx.allclose(model(PROBE), model(PROBE)).item()
