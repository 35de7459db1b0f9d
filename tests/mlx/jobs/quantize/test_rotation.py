from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from jobs.quantize.checkpoint import open_checkpoint
from jobs.quantize.errors import QuantizeError
from jobs.quantize.rotation import Rotation, _draw
from jobs.quantize.steps import dequantize
from jobs.quantize.streaming import StreamedModel
from tests.mlx.jobs.quantize.conftest import ROWS
from tests.plugins.tiny_configs import CONFIGS

LocalModel = Callable[..., Path]
TOKENS = mx.array(ROWS)


def with_gains(folder: Path) -> Path:
    """Give the norms gains other than one, as trained models have them."""
    weights = dict(mx.load(str(folder / "model.safetensors")))
    for name, array in weights.items():
        if array.ndim == 1:
            weights[name] = mx.random.uniform(0.3, 2.0, array.shape, key=mx.random.key(len(name)))
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})
    return folder


@pytest.mark.parametrize("size", [1, 2, 6, 16, 96, 576])
def test_a_rotation_is_orthogonal_and_its_seed_decides_it(size: int) -> None:
    matrix = np.array(_draw(size, 7)(mx.eye(size)))

    assert np.allclose(matrix @ matrix.T, np.eye(size), atol=1e-5)
    assert np.array_equal(matrix, np.array(_draw(size, 7)(mx.eye(size))))
    assert size < 3 or not np.array_equal(matrix, np.array(_draw(size, 8)(mx.eye(size))))


@pytest.mark.parametrize("kind", ["llama", "sliding", "qwen2", "qwen3"])
def test_a_rotated_model_computes_the_same(
    local_model: LocalModel, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setitem(CONFIGS, "qwen2", {"model_type": "qwen2"})  # with biases
    path = with_gains(local_model(kind))
    rotation = Rotation.of(open_checkpoint(path), seed=42)

    plain = StreamedModel(path, [dequantize])(TOKENS)
    rotated = StreamedModel(path, [dequantize, rotation])(TOKENS)

    assert mx.abs(plain - rotated).max().item() < 1e-4 * mx.abs(plain).max().item()


def test_all_weights_but_norms_change_and_keep_their_type(local_model: LocalModel) -> None:
    path = with_gains(local_model("llama"))
    before, after = open_checkpoint(path), open_checkpoint(path)
    rotation = Rotation.of(after, seed=42)

    for piece in after.pieces:
        rotation(piece)

    old = dict(pair for piece in before.pieces for pair in piece.parameters())
    for name, array in (pair for piece in after.pieces for pair in piece.parameters()):
        assert array.dtype == old[name].dtype
        if "norm" in name:
            assert mx.array_equal(array, mx.ones_like(array)), name
        else:
            assert not mx.allclose(array, old[name], atol=1e-2), name


def test_tied_embeddings_are_parted(local_model: LocalModel) -> None:
    path = local_model("llama")
    config = path / "config.json"
    config.write_text(config.read_text().replace('embeddings": false', 'embeddings": true'))
    weights = dict(mx.load(str(path / "model.safetensors")))
    del weights["lm_head.weight"]
    mx.save_safetensors(str(path / "model.safetensors"), weights, metadata={"format": "mlx"})
    with_gains(path)
    opened = open_checkpoint(path)
    rotation = Rotation.of(opened, seed=42)

    plain = StreamedModel(path, [dequantize])(TOKENS)
    rotated = StreamedModel(path, [dequantize, rotation])(TOKENS)

    assert opened.config["tie_word_embeddings"] is False
    assert mx.abs(plain - rotated).max().item() < 1e-4 * mx.abs(plain).max().item()


@pytest.mark.parametrize("kind", ["gemma3_text", "experts", "hybrid", "mamba2"])
def test_other_architectures_are_refused_by_name(local_model: LocalModel, kind: str) -> None:
    opened = open_checkpoint(local_model(kind))

    with pytest.raises(QuantizeError, match=r"rotate_weights works for llama.*leave it off"):
        Rotation.of(opened, seed=42)
