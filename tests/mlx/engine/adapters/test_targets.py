"""Layers that can carry adapters are found with their sizes, whatever their weights are."""

import mlx.core as mx
import pytest
from mlx_lm.utils import load_model, quantize_model

from inference.adapters.folder import read_adapter
from inference.adapters.target import BaseModel, LayerKind, Target
from inference.engine.adapters.factors import make_factors
from inference.engine.adapters.targets import find_targets, place_of, usual_dtype
from tests.plugins.adapters import random_factors, save_tensors, write_adapter

Q_PROJ = "model.layers.0.self_attn.q_proj"


def test_linear_layers_experts_and_embeddings_are_found_with_their_sizes(tiny_model):
    targets = find_targets(tiny_model("experts").model)

    assert targets[Q_PROJ] == Target(LayerKind.LINEAR, 64, 64)
    experts = targets["model.layers.1.mlp.switch_mlp.down_proj"]
    assert experts == Target(LayerKind.EXPERTS, 32, 64, 4)
    assert targets["model.embed_tokens"] == Target(LayerKind.EMBEDDING, 259, 64)
    assert targets["lm_head"] == Target(LayerKind.LINEAR, 64, 259)
    assert not any("norm" in path for path in targets)


@pytest.mark.parametrize("kind", ["llama", "experts"])
def test_quantized_layers_have_the_sizes_of_dense_ones(kind, tiny_checkpoint):
    model, config = load_model(tiny_checkpoint(kind))
    dense = find_targets(model)
    quantized, _ = quantize_model(model, config, group_size=32, bits=4)

    assert find_targets(quantized) == dense


@pytest.mark.parametrize("kind", ["llama", "hybrid", "mamba2", "llama4"])
def test_every_target_has_a_place_where_the_model_looks_for_it(kind, tiny_model):
    model = tiny_model(kind).model
    modules = dict(model.named_modules())

    for path in find_targets(model):
        holder, key = place_of(model, path)
        assert holder[key] is modules[path]


def test_the_usual_type_is_that_of_most_parameters(tiny_checkpoint):
    model, config = load_model(tiny_checkpoint("hybrid"))
    assert usual_dtype(model) == mx.float32
    model.set_dtype(mx.bfloat16)
    assert usual_dtype(model) == mx.bfloat16
    quantized, _ = quantize_model(model, config, group_size=32, bits=4)
    assert usual_dtype(quantized) == mx.bfloat16


@pytest.mark.parametrize(
    ("stored", "compute", "held"),
    [
        ("float32", mx.float32, mx.float32),
        ("float16", mx.float32, mx.float32),
        ("uint16", mx.float32, mx.float32),
        ("uint16", mx.bfloat16, mx.bfloat16),
        ("float32", mx.bfloat16, mx.float32),
        ("float16", mx.bfloat16, mx.float32),
    ],
)
def test_factors_are_held_in_the_type_that_a_product_would_have(stored, compute, held, tmp_path):
    targets = {Q_PROJ: Target(LayerKind.LINEAR, 64, 64)}
    folder = write_adapter(tmp_path / "a", targets, scale=2.0)
    wide = random_factors(targets, 4, 1)
    bits = {name: (array.view("u4") >> 16).astype("u2") for name, array in wide.items()}
    narrow = bits if stored == "uint16" else {n: a.astype(stored) for n, a in wide.items()}
    save_tensors(folder / "adapters.safetensors", narrow)

    made = make_factors(read_adapter(folder, BaseModel("x", targets, 2**20)), compute)[Q_PROJ]

    assert (made.a.dtype, made.b.dtype) == (held, held)
    tolerance = 1e-6 if stored == "float32" else 0.02
    for array, factor in zip(wide.values(), (made.a, made.b / 2), strict=True):
        assert mx.abs(factor.astype(mx.float32) - mx.array(array)).max().item() < tolerance
