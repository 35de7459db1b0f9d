"""Adapters change what a model answers as mlx_lm would, and leave nothing behind."""

import gc

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.tuner.utils import load_adapters
from mlx_lm.utils import load, load_model, quantize_model

from inference.adapters.errors import BadAdapter
from inference.adapters.folder import read_adapter
from inference.adapters.target import BaseModel, LayerKind
from inference.engine.adapters.host import AdapterHost
from inference.engine.adapters.targets import find_targets
from inference.engine.cache.memory_guard import OutOfMemory
from tests.plugins.adapters import (
    logits,
    random_factors,
    save_tensors,
    write_adapter,
    write_peft,
)

TOKENS = [5, 80, 7, 200, 31, 44, 9]
ALL_KINDS = tuple(LayerKind)


def distance(one, other):
    return mx.abs(one - other).max().item()


def by_mlx_lm(path, adapter):
    return logits(load(str(path), adapter_path=str(adapter))[0], TOKENS)


@pytest.mark.parametrize("kind", ["llama", "qwen3_5", "deepseek_v3", "mamba2", "gemma3_text"])
def test_an_adapter_answers_as_mlx_lm_does(kind, mounting, tiny_checkpoint):
    tiny = mounting(kind)
    adapter = tiny.write("a", rank=6, scale=3.0)
    tiny.mount("a")

    answer = logits(tiny.host.select(("a",)), TOKENS)

    assert distance(answer, by_mlx_lm(tiny_checkpoint(kind), adapter)) < 1e-4
    assert distance(answer, logits(tiny.model, TOKENS)) > 0.1


@pytest.mark.parametrize("kind", ["experts", "qwen3_5_moe"])
def test_experts_carry_adapters_as_mlx_lm_has_them(kind, mounting, tiny_checkpoint):
    tiny = mounting(kind, kinds=ALL_KINDS)
    experts = [p for p, t in tiny.targets.items() if t.kind is LayerKind.EXPERTS]
    adapter = tiny.write("a", experts)
    tiny.mount("a")

    for tokens in (TOKENS, TOKENS * 12):  # the second is long enough to be sorted by expert
        answer = logits(tiny.host.select(("a",)), tokens)
        model, _ = load_model(tiny_checkpoint(kind))
        expected = logits(load_adapters(model, str(adapter)), tokens)
        assert distance(answer, expected) < 1e-4 * mx.abs(expected).max().item()
        assert distance(answer, logits(tiny.model, tokens)) > 0.01


@pytest.mark.parametrize("kind", ["llama", "gemma3_text"])  # the second ties its embedding
def test_embeddings_and_heads_carry_adapters(kind, mounting, tiny_checkpoint):
    tiny = mounting(kind, kinds=ALL_KINDS)
    outer = [path for path in tiny.targets if ".layers." not in path]
    assert any(tiny.targets[path].kind is LayerKind.EMBEDDING for path in outer)
    adapter = tiny.write("a", outer)
    tiny.mount("a")

    answer = logits(tiny.host.select(("a",)), TOKENS)

    assert distance(answer, by_mlx_lm(tiny_checkpoint(kind), adapter)) < 1e-4
    assert distance(answer, logits(tiny.model, TOKENS)) > 0.1


def test_a_stack_adds_the_residuals_of_its_parts(mounting):
    tiny = mounting("llama")
    [layer] = [path for path in tiny.targets if path.endswith("1.mlp.down_proj")]
    tiny.write("a", [layer], seed=1, rank=3)
    tiny.write("b", [layer], seed=2, rank=5, scale=-1.0)
    tiny.mount("a")
    tiny.mount("b")
    base = logits_of_layer(tiny, layer, ())
    a, b = (logits_of_layer(tiny, layer, (name,)) - base for name in "ab")

    both = logits_of_layer(tiny, layer, ("a", "b")) - base

    assert distance(both, a + b) < 1e-4
    assert min(mx.abs(a).max().item(), mx.abs(b).max().item()) > 0.1


def logits_of_layer(tiny, layer, names):
    """What the layer itself computes of fixed numbers while these adapters are on."""
    x = mx.random.normal((1, 4, tiny.targets[layer].inputs), key=mx.random.key(3))
    with tiny.host.select(names)._stand_ins():
        module = tiny.model
        for part in layer.split("."):
            module = module[int(part) if part.isdigit() else part]
        return module(x)


def test_a_stack_answers_as_both_adapters_fused_one_after_the_other(mounting, tiny_checkpoint):
    tiny = mounting("llama")
    paths = [tiny.write("a", seed=1), tiny.write("b", seed=2, rank=7, scale=0.5)]
    tiny.mount("a")
    tiny.mount("b")
    model, _ = load_model(tiny_checkpoint("llama"))
    for path in paths:
        for name, module in load_adapters(model, str(path)).named_modules():
            if hasattr(module, "fuse"):
                holder, _, last = name.rpartition(".")
                dict(model.named_modules())[holder][last] = module.fuse()

    answer = logits(tiny.host.select(("a", "b")), TOKENS)

    assert distance(answer, logits(model, TOKENS)) < 1e-4
    assert distance(answer, logits(tiny.host.select(("b", "a")), TOKENS)) < 1e-4
    assert distance(answer, logits(tiny.host.select(("a",)), TOKENS)) > 0.1


def test_quantized_layers_carry_adapters(tiny_checkpoint, tmp_path):
    model, config = load_model(tiny_checkpoint("llama"))
    model, _ = quantize_model(model, config, group_size=32, bits=4)
    targets = {p: t for p, t in find_targets(model).items() if t.kind is LayerKind.LINEAR}
    adapter = write_adapter(tmp_path / "a", targets)
    host = AdapterHost(model, targets, mx.float32)
    host.mount("a", read_adapter(adapter, BaseModel("tiny", targets, 2**30)))
    plain = logits(model, TOKENS)

    answer = logits(host.select(("a",)), TOKENS)

    assert distance(answer, plain) > 0.1
    assert distance(answer, logits(load_adapters(model, str(adapter)), TOKENS)) < 1e-4


@pytest.mark.parametrize("kind", ["llama", "gemma3_text"])
def test_pefts_format_means_the_same(kind, mounting):
    tiny = mounting(kind, kinds=(LayerKind.LINEAR, LayerKind.EMBEDDING))
    tiny.write("mlx", rank=4, scale=2.0)
    tiny.mount("mlx")
    tiny.mount("peft", write_peft(tiny.folder / "peft", tiny.targets, rank=4, alpha=8))

    answers = [logits(tiny.host.select((name,)), TOKENS) for name in ("mlx", "peft")]

    assert distance(*answers) == 0


def test_base_and_adapters_take_turns_without_a_trace(mounting):
    tiny = mounting("llama")
    tiny.write("a", seed=1)
    tiny.write("b", seed=2, targets=list(tiny.targets)[::3])
    tiny.mount("a")
    tiny.mount("b")
    models = {"": tiny.model, **{name: tiny.host.select((name,)) for name in "ab"}}
    models["a+b"] = tiny.host.select(("a", "b"))
    alone = {name: logits(model, TOKENS) for name, model in models.items()}

    for name in ("a", "", "b", "a+b", "b", "", "a", "a+b", ""):
        assert distance(logits(models[name], TOKENS), alone[name]) == 0


def test_the_original_modules_are_in_place_whenever_no_call_runs(mounting):
    tiny = mounting("llama")
    modules = tiny.modules()
    tiny.write("a")
    tiny.mount("a")
    assert tiny.modules() == modules

    logits(tiny.host.select(("a",)), TOKENS)
    assert all(tiny.modules()[path] is module for path, module in modules.items())

    tiny.host.unmount("a")
    assert all(tiny.modules()[path] is module for path, module in modules.items())


def test_a_call_that_fails_leaves_the_original_modules(mounting):
    tiny = mounting("llama")
    modules = tiny.modules()
    tiny.write("a")
    tiny.mount("a")

    with pytest.raises(AttributeError):
        tiny.host.select(("a",))(mx.array([TOKENS]), cache=[None, object()])

    assert all(tiny.modules()[path] is module for path, module in modules.items())


def test_what_was_selected_stays_what_it_was_when_its_name_goes_or_changes(mounting):
    tiny = mounting("llama")
    tiny.write("a", seed=1)
    tiny.mount("a")
    held = tiny.host.select(("a",))
    before = logits(held, TOKENS)
    tiny.mount("a", tiny.write("other", seed=2))
    renewed = tiny.host.select(("a",))

    assert distance(logits(held, TOKENS), before) == 0
    assert distance(logits(renewed, TOKENS), before) > 0.1
    assert held.namespace != renewed.namespace
    assert tiny.host.unmount("a") is not None
    assert distance(logits(held, TOKENS), before) == 0
    with pytest.raises(KeyError):
        tiny.host.select(("a",))


def test_equal_weights_have_one_namespace_and_a_scale_or_an_order_another(mounting):
    tiny = mounting("llama")
    for name, options in {"a": {}, "b": {"scale": 2.5}, "c": {"seed": 2}}.items():
        tiny.mount(name, tiny.write(name, **options))
    first = tiny.host.select(("a",)).namespace
    seen = {tiny.host.select(ids).namespace for ids in [("a",), ("b",), ("c",)]}
    seen |= {tiny.host.select(ids).namespace for ids in [("a", "b"), ("b", "a")]}

    tiny.host.unmount("a")
    tiny.mount("a")

    assert tiny.host.select(("a",)).namespace == first
    assert len(seen) == 5
    assert first.startswith("a@")


def test_a_mounted_adapter_tells_what_it_takes(mounting):
    tiny = mounting("llama")
    path = tiny.write("a", rank=4)

    facts = tiny.mount("a")

    numbers = sum(4 * (target.inputs + target.outputs) for target in tiny.targets.values())
    assert facts.ram_bytes == 4 * numbers
    assert facts.num_layers == len(tiny.targets) == 15
    assert (facts.id, facts.path, facts.rank, facts.scale) == ("a", path, 4, 2.0)
    assert facts.size_bytes == (path / "adapters.safetensors").stat().st_size
    assert tiny.host.mounted == {"a": facts}


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(bad, mounting):
    tiny = mounting("llama")
    path = tiny.write("a")
    tensors = random_factors(tiny.targets, 4, 1)
    spoilt = list(tensors)[7]
    tensors[spoilt] = np.where(tensors[spoilt] > 0.1, np.float32(bad), tensors[spoilt])
    save_tensors(path / "adapters.safetensors", tensors)

    with pytest.raises(BadAdapter, match=spoilt.rpartition(".")[0]):
        tiny.mount("a")

    assert tiny.host.mounted == {}


def test_a_scale_that_takes_weights_beyond_all_numbers_is_refused(mounting):
    tiny = mounting("llama")
    tiny.write("a", scale=1e39)

    with pytest.raises(BadAdapter, match="not all finite"):
        tiny.mount("a")


def test_without_room_for_a_step_an_adapter_is_not_mounted(mounting):
    tiny = mounting("llama")

    def refuse():
        raise OutOfMemory("memory ran out")

    host = AdapterHost(tiny.model, tiny.targets, mx.float32, refuse)

    with pytest.raises(BadAdapter, match="no room is left"):
        host.mount("a", read_adapter(tiny.write("a"), tiny.base))

    assert host.mounted == {}


def test_mounting_and_unmounting_leaves_memory_flat(mounting):
    tiny = mounting("llama")
    adapters = [read_adapter(tiny.write(n, seed=i, rank=64), tiny.base) for i, n in enumerate("ab")]

    def round_trip():
        for name, adapter in zip("ab", adapters, strict=True):
            tiny.host.mount(name, adapter)
        mx.eval(logits(tiny.host.select(("a", "b")), TOKENS))
        for name in "ab":
            tiny.host.unmount(name)

    round_trip()
    gc.collect()
    before = mx.get_active_memory()

    for _ in range(20):
        round_trip()

    assert mx.get_active_memory() == before
    assert mx.get_cache_memory() == 0
