"""Streamed passes equal plain ones, whatever the architecture."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model

from jobs.quantize import checkpoint
from jobs.quantize.checkpoint import open_checkpoint
from jobs.quantize.errors import QuantizeError
from jobs.quantize.steps import dequantize
from jobs.quantize.streaming import StreamedModel
from tests.mlx.jobs.quantize.conftest import ROWS
from tests.plugins.tiny_configs import CONFIGS

Checkpoint = Callable[[str], Path]
TOKENS = mx.array(ROWS)


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_streamed_pass_gives_the_logits_of_the_whole_model(
    tiny_checkpoint: Checkpoint, kind: str
) -> None:
    path = tiny_checkpoint(kind)
    streamed = StreamedModel(path, [dequantize])

    first, second = streamed(TOKENS), streamed(TOKENS)

    whole = open_checkpoint(path).model(TOKENS)
    assert mx.array_equal(first, whole)
    assert mx.array_equal(second, whole)


def test_a_layer_is_let_go_before_the_next_is_read(
    tiny_checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed = StreamedModel(tiny_checkpoint("llama"), [])
    kept = []
    read_layer = streamed.read_layer

    def read(index: int):  # type: ignore[no-untyped-def]
        kept.append([len(tree_flatten(piece.module.parameters())) for piece in earlier])
        piece = read_layer(index)
        earlier.append(piece)
        return piece

    earlier: list = []
    monkeypatch.setattr(streamed, "read_layer", read)

    streamed(TOKENS)

    assert kept == [[], [0]]


def test_the_pieces_of_a_model_are_all_of_it_and_disjoint(tiny_checkpoint: Checkpoint) -> None:
    opened = open_checkpoint(tiny_checkpoint("qwen3_5_moe"))

    names = [name for piece in opened.pieces for name, _ in piece.parameters()]

    assert sorted(names) == sorted(name for name, _ in tree_flatten(opened.model.parameters()))
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("layers", "words"),
    [(lambda layers: [], "no list of layers"), (lambda layers: layers * 2, "one")],
)
def test_a_model_without_layers_of_its_own_is_told(
    tiny_checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, layers: Any, words: str
) -> None:
    def load(*arguments: Any, **named: Any) -> Any:
        model, config = load_model(*arguments, **named)
        own = type(model)
        others = property(lambda self: layers(own.layers.fget(self)))
        object.__setattr__(model, "__class__", type("Odd", (own,), {"layers": others}))
        return model, config

    monkeypatch.setattr(checkpoint, "load_model", load)

    with pytest.raises(QuantizeError, match=words):
        open_checkpoint(tiny_checkpoint("llama"))


def test_what_mlx_lm_cannot_load_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "unheard_of"}')
    (tmp_path / "model.safetensors").write_bytes(b"no")

    with pytest.raises(QuantizeError, match="mlx-lm cannot load this model"):
        open_checkpoint(tmp_path)
