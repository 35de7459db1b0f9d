import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.errors import BrokenModel
from hub.local_model import read_local_model
from hub.quantization import Quantization
from hub.support import Tier


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
    assert (model.weight_bytes, model.weights.experts.stored_bytes) == (60, 50)
    assert model.quantization == Quantization(bits=4, group_size=64)
    assert model.tier is Tier.TARGETED
    assert model.made_to_chat
    assert len(model.shape.attention) == 2


def test_sidecar_files_are_not_weights(tmp_path: Path, write_model: Callable[..., Path]) -> None:
    folder = write_model(tmp_path, {"a": 10})
    (folder / "vision.safetensors").write_bytes((folder / "model.safetensors").read_bytes())

    model = read_local_model(folder, "owner/name")

    assert model.weight_bytes == 10
    assert model.quantization is None


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
