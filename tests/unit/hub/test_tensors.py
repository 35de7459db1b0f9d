import json
import tracemalloc
from pathlib import Path

import pytest

from hub import tensors
from hub.errors import BrokenModel
from hub.tensors import (
    MAX_HEADER_BYTES,
    MAX_TENSORS,
    TensorInfo,
    read_header,
    read_open_header,
)

LIMIT_MB = 64  # of memory beyond what is there anyway, whatever a file holds


def write(path: Path, header: object, data: bytes = b"") -> Path:
    encoded = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return path


def peak_mb_of_refusing(path: Path) -> float:
    """Read a file that must be refused; return the memory that took, in MB."""
    tracemalloc.start()
    try:
        with pytest.raises(BrokenModel):
            read_header(path)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def test_a_header_tells_type_shape_and_size_of_each_tensor(tmp_path: Path) -> None:
    path = write(
        tmp_path / "model.safetensors",
        {
            "__metadata__": {"format": "mlx", "note": 'braces } and "quotes"'},
            "norm": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]},
            'odd "name" ü': {"data_offsets": [12, 13], "shape": [], "dtype": "U8"},
        },
        bytes(13),
    )

    assert read_header(path) == {
        "norm": TensorInfo("BF16", (2, 3), 12),
        'odd "name" ü': TensorInfo("U8", (), 1),
    }


def test_the_data_of_a_tensor_is_where_its_header_says(tmp_path: Path) -> None:
    header = {"a": {"dtype": "U8", "shape": [3], "data_offsets": [2, 5]}}
    path = write(tmp_path / "model.safetensors", header, b"--abc-")

    with path.open("rb") as file:
        tensor = read_open_header(file, "weights")["a"]
        file.seek(tensor.start)
        assert file.read(tensor.size_bytes) == b"abc"


@pytest.mark.parametrize("header", [b"{}", b" { } ", b'{"__metadata__":{}}   '])
def test_a_file_may_hold_no_tensors(tmp_path: Path, header: bytes) -> None:
    """Public case se-07, the one that is valid."""
    assert read_header(write(tmp_path / "model.safetensors", header)) == {}


@pytest.mark.parametrize(
    "header",
    [
        {"norm": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 13]}},
        {"norm": {"dtype": "BF16", "shape": [2, 3]}},
        {"norm": {"dtype": 5, "shape": [2, 3], "data_offsets": [0, 12]}},
        {"norm": {"dtype": "U8", "shape": "no", "data_offsets": [0, 12]}},
        {"norm": {"dtype": "U8", "shape": [1] * 9, "data_offsets": [0, 1]}},
        {"a": {"dtype": "U8", "shape": [12], "data_offsets": [0, 12]}}
        | {"b": {"dtype": "U8", "shape": [12], "data_offsets": [0, 12]}},
        {"norm": "text"},
        ["a list"],
        b"\xff\xfe not JSON",
        b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,0]}',
        b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,0]}} and more',
        b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,0]},}',
    ],
)
def test_a_corrupt_header_is_a_broken_model(tmp_path: Path, header: object) -> None:
    path = write(tmp_path / "model.safetensors", header, bytes(12))

    with pytest.raises(BrokenModel, match=r"model\.safetensors is cut short or not"):
        read_header(path)


@pytest.mark.parametrize(
    "content",
    [
        "ffffffffffffffff",
        "000000800000000000000000",
        "0000000000000000",
        "001122",
        "05000000000000006e6f6a736e",
    ],
)
def test_a_few_bytes_of_anything_are_a_broken_model(tmp_path: Path, content: str) -> None:
    """Public case se-07."""
    path = tmp_path / "model.safetensors"
    path.write_bytes(bytes.fromhex(content))

    assert peak_mb_of_refusing(path) < 1


def test_a_header_of_a_hundred_megabytes_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """Public case se-07."""
    path = tmp_path / "model.safetensors"
    with path.open("wb") as file:
        file.write((100_000_000).to_bytes(8, "little"))
        file.truncate(100_000_100)  # sparse: the file is as long as it claims

    assert peak_mb_of_refusing(path) < 1


@pytest.mark.parametrize(
    "header",
    [
        b"[" * MAX_HEADER_BYTES,
        b'{"a":' * (MAX_HEADER_BYTES // 5),
        b'{"a":{"shape":[' + b"[]," * (MAX_HEADER_BYTES // 3 - 10) + b"1]}}",
        b'{"' + b"\\a" * (MAX_HEADER_BYTES // 2 - 1),
        b'{"a":{"dtype":"U8","shape":[' + b"9," * 10_000 + b'9],"data_offsets":[0,0]}}',
    ],
    ids=["lists", "objects", "many lists", "one string", "one shape"],
)
def test_the_longest_header_allowed_takes_little_memory_to_refuse(
    tmp_path: Path, header: bytes
) -> None:
    """Public case se-07, with nesting, and at our own limit."""
    path = write(tmp_path / "model.safetensors", header)

    assert peak_mb_of_refusing(path) < LIMIT_MB


def test_more_tensors_than_a_model_has_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenth = MAX_TENSORS // 10  # of the limit, for speed: memory grows with the number
    monkeypatch.setattr(tensors, "MAX_TENSORS", tenth)
    entry = b'"%05d":{"dtype":"U8","shape":[9,9,9,9,9,9,9,9],"data_offsets":[0,0]}'
    members = b",".join(entry % number for number in range(tenth + 1))
    path = write(tmp_path / "model.safetensors", b"{" + members + b"}")

    assert peak_mb_of_refusing(path) < LIMIT_MB / 10


def test_an_empty_or_missing_file_is_a_broken_model(tmp_path: Path) -> None:
    (tmp_path / "empty.safetensors").touch()

    with pytest.raises(BrokenModel, match="cut short"):
        read_header(tmp_path / "empty.safetensors")
    with pytest.raises(BrokenModel, match="cannot be read"):
        read_header(tmp_path / "missing.safetensors")
