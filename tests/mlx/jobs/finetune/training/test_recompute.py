from collections.abc import Callable
from typing import Any

import mlx.core as mx
import pytest
from mlx.nn.utils import value_and_grad
from mlx.utils import tree_flatten, tree_unflatten

from jobs.finetune.config import FinetuneConfig, InvalidField
from jobs.finetune.training import recompute
from jobs.finetune.training.lora import add_lora
from jobs.finetune.training.recompute import save_memory

Config = Callable[..., FinetuneConfig]
Load = Callable[..., Any]
TOKENS = mx.arange(40)[None] % 11


def gradients(model: Any) -> dict[str, mx.array]:
    mx.random.seed(3)
    _, found = value_and_grad(model, lambda: model(TOKENS).square().mean())()
    return dict(tree_flatten(found))


@pytest.mark.parametrize(
    "fields",
    [
        {"grad_checkpoint": True},
        {"segment_size": 1},
        {"segment_size": 2},
        {"segment_size": 3},
        {"mlp_split": True},
        {"mlp_split": True, "grad_checkpoint": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["llama", "qwen3", "sliding"])
def test_saving_memory_makes_no_difference(
    kind: str,
    fields: dict[str, Any],
    adapted: Load,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recompute, "STRETCH_TOKENS", 16)
    plain, saving = adapted(kind), adapted(kind)

    save_memory(saving, config(**fields))

    found, expected = gradients(saving), gradients(plain)
    assert found.keys() == expected.keys()
    for path, gradient in found.items():
        assert mx.allclose(gradient, expected[path], rtol=1e-3, atol=1e-5).item(), path


def calls_of_mlps(model: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Tokens of each call of an MLP, forwards and backwards."""
    kind = type(model.layers[0].mlp)
    original, calls = kind.__call__, []

    def watched(self: Any, states: mx.array) -> mx.array:
        calls.append(states.shape[1])
        return original(self, states)

    monkeypatch.setattr(kind, "__call__", watched)
    return calls


def test_checkpointed_blocks_are_computed_twice(
    adapted: Load, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = adapted()
    calls = calls_of_mlps(model, monkeypatch)
    gradients(model)
    once = len(calls)

    save_memory(model, config(grad_checkpoint=True))
    calls.clear()
    gradients(model)

    assert (once, len(calls)) == (2, 4)


def test_split_mlps_see_a_stretch_at_a_time(
    adapted: Load, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recompute, "STRETCH_TOKENS", 16)
    model = adapted()
    calls = calls_of_mlps(model, monkeypatch)
    save_memory(model, config(mlp_split=True))
    calls.clear()

    gradients(model)

    assert set(calls) == {16, 8}


@pytest.mark.parametrize("fields", [{"grad_checkpoint": True}, {"segment_size": 2}], ids=str)
def test_dropout_leaves_out_the_same_the_second_time(
    fields: dict[str, Any], load_tiny: Load, config: Config
) -> None:
    model = load_tiny()
    asked = config(lora_dropout=0.5, **fields)
    mx.random.seed(0)
    for module in add_lora(model, asked, {}).modules.values():
        module.lora_b = mx.random.normal(module.lora_b.shape) * 0.1
    save_memory(model, asked)
    gradient = gradients(model)
    start = dict(tree_flatten(model.trainable_parameters()))
    length = mx.sqrt(sum(g.square().sum() for g in gradient.values())).item()

    def loss(step: float) -> float:
        """Moved along the gradient, with the same left out as always."""
        moved = [(path, start[path] + step / length * g) for path, g in gradient.items()]
        model.update(tree_unflatten(moved))
        mx.random.seed(3)
        value: Any = model(TOKENS).square().mean().item()
        return float(value)

    assert (loss(1e-2) - loss(-1e-2)) / 2e-2 == pytest.approx(length, rel=0.01)


def test_other_models_of_the_same_kind_are_left_alone(adapted: Load, config: Config) -> None:
    one, other = adapted(), adapted()

    save_memory(one, config(grad_checkpoint=True))

    assert type(one.layers[0]) is not type(other.layers[0])
    assert type(one.layers[0]).__name__ == type(other.layers[0]).__name__


def test_blocks_that_hand_on_more_than_states_are_no_segments(
    adapted: Load, config: Config
) -> None:
    with pytest.raises(
        InvalidField, match=r"segment_size is 2; allowed: off.* Use grad_checkpoint alone"
    ):
        save_memory(adapted("gemma4_text"), config(segment_size=2))


def test_a_model_without_mlps_cannot_split_them(load_tiny: Load, config: Config) -> None:
    with pytest.raises(InvalidField, match="mlp_split"):
        save_memory(load_tiny("mamba2"), config(mlp_split=True))
