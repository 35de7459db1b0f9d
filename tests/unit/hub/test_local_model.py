import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.errors import BrokenModel
from hub.local_model import read_local_model


def test_a_model_is_read_from_its_config_and_its_headers(
    tmp_path: Path, write_model: Callable[..., Path]
) -> None:
    tensors = {
        "model.layers.0.mlp.experts.gate.weight": 30,
        "model.layers.0.mlp.switch_mlp.up_proj.weight": 20,
        "model.layers.0.mlp.shared_experts.up_proj.weight": 7,
        "model.norm.weight": 3,
    }
    folder = write_model(tmp_path, tensors, quantization={"group_size": 64, "bits": 4})

    model = read_local_model(folder, "owner/name")

    assert (model.repo_id, model.path, model.model_type) == ("owner/name", folder, "llama")
    assert (model.weight_bytes, model.expert_bytes) == (60, 50)
    assert model.quantization_bits == 4
    assert not model.is_embedding
    assert len(model.shape.attention) == 2


def test_sidecar_files_are_not_weights(tmp_path: Path, write_model: Callable[..., Path]) -> None:
    folder = write_model(tmp_path, {"a": 10})
    (folder / "vision.safetensors").write_bytes((folder / "model.safetensors").read_bytes())

    model = read_local_model(folder, "owner/name")

    assert model.weight_bytes == 10
    assert model.quantization_bits is None


@pytest.mark.parametrize("repo_id", ["org/Qwen3-Embedding-0.6B", "org/text-embed-4bit"])
def test_an_embedding_model_is_known_by_its_name(
    tmp_path: Path, write_model: Callable[..., Path], repo_id: str
) -> None:
    assert read_local_model(write_model(tmp_path), repo_id).is_embedding


def test_an_embedding_model_is_known_by_its_files_or_its_type(
    tmp_path: Path, write_model: Callable[..., Path]
) -> None:
    pooled = write_model(tmp_path / "pooled")
    (pooled / "modules.json").write_text("[]")
    encoder = write_model(tmp_path / "encoder", model_type="bert")

    assert read_local_model(pooled, "org/pooled").is_embedding
    assert read_local_model(encoder, "org/encoder").is_embedding


def test_a_shard_that_has_not_arrived_makes_the_model_broken(
    tmp_path: Path, write_model: Callable[..., Path]
) -> None:
    folder = write_model(tmp_path)
    index = {"weight_map": {"a": "model.safetensors", "b": "model-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))

    with pytest.raises(BrokenModel, match=r"model-00002\.safetensors cannot be read"):
        read_local_model(folder, "owner/name")


def test_a_folder_without_weights_or_config_says_so(
    tmp_path: Path, write_model: Callable[..., Path]
) -> None:
    bare = write_model(tmp_path / "bare")
    (bare / "model.safetensors").unlink()
    garbled = write_model(tmp_path / "garbled")
    (garbled / "config.json").write_text("{")
    listed = write_model(tmp_path / "listed")
    (listed / "config.json").write_text("[]")

    for folder, reason in [
        (bare, "it has no model"),
        (garbled, "is not JSON"),
        (listed, "is not a JSON object"),
        (tmp_path / "absent", r"no readable config\.json"),
    ]:
        with pytest.raises(BrokenModel, match=reason):
            read_local_model(folder, "owner/name")
