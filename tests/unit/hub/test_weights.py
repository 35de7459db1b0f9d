import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hub.errors import BrokenModel
from hub.weights import MAX_FILES, Part, read_weights

Tensors = Mapping[str, tuple[str, int]]


def write(path: Path, tensors: Tensors) -> None:
    """A file of tensors given as name to (type, bytes)."""
    header: dict[str, Any] = {}
    offset = 0
    for name, (dtype, size) in tensors.items():
        header[name] = {"dtype": dtype, "shape": [size], "data_offsets": [offset, offset + size]}
        offset += size
    encoded = json.dumps(header).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + bytes(offset))


def test_plain_weights_are_counted_by_the_width_of_their_type(tmp_path: Path) -> None:
    write(tmp_path / "model.safetensors", {"a": ("BF16", 20), "b": ("F32", 40), "c": ("F64", 80)})

    assert read_weights(tmp_path, {}).whole == Part(stored_bytes=140, plain_elements=30)


def test_packed_weights_stand_for_as_many_as_their_width_lets_in(tmp_path: Path) -> None:
    tensors = {
        "layer.weight": ("U32", 32),  # 64 weights of 4 bits
        "layer.scales": ("BF16", 4),
        "layer.biases": ("BF16", 4),
        "head.weight": ("U32", 32),  # 32 weights of 8 bits
        "norm.weight": ("BF16", 6),
        "position_ids": ("I64", 16),
    }
    write(tmp_path / "model.safetensors", tensors)

    found = read_weights(tmp_path, {"": 4, "head": 8, "position_ids": 64})

    assert found.whole == Part(
        stored_bytes=94,
        packed_bytes=80,
        packed_elements=64 + 32 + 2,
        scale_elements=4,
        plain_elements=3,
    )


def test_experts_are_counted_apart(tmp_path: Path) -> None:
    tensors = {
        "l.0.mlp.experts.1.gate.weight": ("BF16", 30),
        "l.0.mlp.switch_mlp.up_proj.weight": ("BF16", 20),
        "l.0.mlp.shared_experts.up_proj.weight": ("BF16", 8),
    }
    write(tmp_path / "model.safetensors", tensors)

    found = read_weights(tmp_path, {})

    assert (found.whole.stored_bytes, found.experts.stored_bytes) == (58, 50)


def test_a_shard_that_the_others_name_has_to_be_there(tmp_path: Path) -> None:
    write(tmp_path / "model-00002-of-00002.safetensors", {"norm.weight": ("BF16", 2)})

    with pytest.raises(BrokenModel, match=r"^model-00001-of-00002\.safetensors is missing"):
        read_weights(tmp_path, {})


@pytest.mark.parametrize(
    ("name", "sees", "hears"),
    [
        ("vision_tower.patch_embed.weight", True, False),
        ("model.visual.blocks.0.norm.weight", True, False),
        ("audio_tower.conv.weight", False, True),
        ("model.layers.0.mlp.gate.weight", False, False),
    ],
)
def test_towers_are_known_by_their_names(
    tmp_path: Path, name: str, sees: bool, hears: bool
) -> None:
    write(tmp_path / "model.safetensors", {name: ("BF16", 2)})

    found = read_weights(tmp_path, {})

    assert (found.sees, found.hears) == (sees, hears)


def test_shards_are_added_up_and_a_tensor_in_two_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "model-00001-of-00002.safetensors", {"a": ("BF16", 2), "b": ("BF16", 4)})
    write(tmp_path / "model-00002-of-00002.safetensors", {"b": ("BF16", 4), "c": ("BF16", 8)})
    write(tmp_path / "adapter.safetensors", {"d": ("BF16", 16)})

    assert read_weights(tmp_path, {}).whole.stored_bytes == 14


def index(folder: Path, *names: str) -> None:
    weight_map = {f"tensor-{number}": name for number, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))


def test_a_shard_that_the_index_names_has_to_be_there(tmp_path: Path) -> None:
    write(tmp_path / "model-1.safetensors", {"a": ("BF16", 2)})
    index(tmp_path, "model-1.safetensors", "model-2.safetensors")

    with pytest.raises(BrokenModel, match=r"model-2\.safetensors cannot be read"):
        read_weights(tmp_path, {})


@pytest.mark.parametrize("name", ["../other/model.safetensors", "/etc/x.safetensors"])
def test_an_index_cannot_name_files_of_another_folder(tmp_path: Path, name: str) -> None:
    index(tmp_path, name)

    with pytest.raises(BrokenModel, match="names a file outside the folder"):
        read_weights(tmp_path, {})


def test_an_index_of_endlessly_many_files_is_refused(tmp_path: Path) -> None:
    index(tmp_path, *(f"model-{number}.safetensors" for number in range(MAX_FILES + 1)))

    with pytest.raises(BrokenModel, match="more than 500 weight files"):
        read_weights(tmp_path, {})


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("model-q4.gguf", "it holds GGUF weights only"),
        ("pytorch_model.bin", "it holds PyTorch weights only"),
        ("README.md", r"it has no model\*\.safetensors"),
    ],
)
def test_a_folder_without_weights_says_what_it_has_instead(
    tmp_path: Path, file: str, reason: str
) -> None:
    (tmp_path / file).touch()

    with pytest.raises(BrokenModel, match=reason):
        read_weights(tmp_path, {})
