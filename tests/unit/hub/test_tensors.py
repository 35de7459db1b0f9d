import json
from pathlib import Path

import pytest

from hub.errors import BrokenModel
from hub.tensors import MAX_HEADER_BYTES, TensorInfo, read_header


def write(path: Path, header: object, data: bytes = b"") -> Path:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return path


def test_a_header_tells_type_shape_and_size_of_each_tensor(tmp_path: Path) -> None:
    path = write(
        tmp_path / "model.safetensors",
        {
            "__metadata__": {"format": "mlx"},
            "norm": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]},
        },
        bytes(12),
    )

    assert read_header(path) == {"norm": TensorInfo("BF16", (2, 3), 12)}


@pytest.mark.parametrize(
    "header",
    [
        {"norm": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 13]}},
        {"norm": {"dtype": "BF16", "shape": [2, 3]}},
        {"norm": "text"},
        ["a list"],
        b"\xff\xfe not JSON",
    ],
)
def test_a_corrupt_header_is_a_broken_model(tmp_path: Path, header: object) -> None:
    path = write(tmp_path / "model.safetensors", header, bytes(12))

    with pytest.raises(BrokenModel, match=r"model\.safetensors is cut short or not"):
        read_header(path)


def test_an_absurd_length_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write((MAX_HEADER_BYTES + 1).to_bytes(8, "little"))
        file.truncate(MAX_HEADER_BYTES + 100)  # sparse: the file is as long as it claims

    with pytest.raises(BrokenModel):
        read_header(path)


def test_an_empty_or_missing_file_is_a_broken_model(tmp_path: Path) -> None:
    (tmp_path / "empty.safetensors").touch()

    with pytest.raises(BrokenModel, match="cut short"):
        read_header(tmp_path / "empty.safetensors")
    with pytest.raises(BrokenModel, match="cannot be read"):
        read_header(tmp_path / "missing.safetensors")
