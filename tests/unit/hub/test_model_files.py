import json
import os
from pathlib import Path

import pytest

from hub.errors import BrokenModel
from hub.model_files import MAX_JSON_BYTES, open_file, read_json, read_object


def test_a_json_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"a": ["ü"]}), encoding="utf-8")

    assert read_object(path) == {"a": ["ü"]}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 50_000, "is not JSON"),
        (b"[1]", "is not a JSON object"),
        (b" " * (MAX_JSON_BYTES + 1), "is larger than 4,194,304 bytes"),
        (b"[" + b"[]," * 100_000 + b"1]", "more than 100,000 lists and objects"),
    ],
    ids=["cut short", "no text", "too deep", "no object", "too long", "too many"],
)
def test_what_is_no_small_json_object_is_a_broken_model(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)

    with pytest.raises(BrokenModel, match=reason):
        read_object(path)


def test_a_missing_file_is_a_broken_model(tmp_path: Path) -> None:
    with pytest.raises(BrokenModel, match=r"it has no readable config\.json"):
        read_json(tmp_path / "config.json")


def test_a_pipe_or_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="not a regular file"):
        open_file(tmp_path / "pipe")
    with pytest.raises(OSError, match="directory"):
        open_file(tmp_path)
