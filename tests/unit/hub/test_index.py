import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hub import index as index_module
from hub.errors import BrokenModel
from hub.index import Index
from hub.local_model import LocalModel, read_local_model
from tests.unit.hub.conftest import Refuse

HYBRID: dict[str, Any] = {
    "model_type": "qwen3_5",
    "vision_config": {},
    "full_attention_interval": 2,
    "linear_num_value_heads": 4,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 6,
    "linear_conv_kernel_dim": 4,
    "quantization": {"bits": 4, "group_size": 64},
}


class Reader:
    """Reads folders, and knows which."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, folder: Path, repo_id: str) -> LocalModel:
        self.read.append(repo_id)
        return read_local_model(folder, repo_id)


@pytest.fixture
def reader() -> Reader:
    return Reader()


FullDisk = Callable[[str], None]


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> FullDisk:
    """`full_disk("write")`: the next write finds no room; "replace": the step into its place."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def full_disk(step: str) -> None:
        target, name = (index_module.json, "dump") if step == "write" else (Path, "replace")
        monkeypatch.setattr(target, name, refuse)

    return full_disk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index.json"


def scan(file: Path, reader: Reader, *folders: Path) -> list[LocalModel]:
    """One scan of some folders, named by their names."""
    index = Index(file, reader)
    models = [index.model(folder, folder.name) for folder in folders]
    index.save()
    return models


@pytest.mark.parametrize("config", [{}, HYBRID, {"num_attention_heads": None}, {"model_type": 5}])
def test_a_folder_is_read_once_and_remembered_as_it_was(
    tmp_path: Path,
    file: Path,
    reader: Reader,
    write_model: Callable[..., Path],
    config: dict[str, Any],
) -> None:
    folder = write_model(tmp_path / "a", {"x.experts.1.weight": 8, "vision_tower.w": 4}, **config)

    first, second = scan(file, reader, folder), scan(file, reader, folder)

    assert first == second
    assert reader.read == ["a"]


def test_a_changed_folder_is_read_anew(
    tmp_path: Path, file: Path, reader: Reader, write_model: Callable[..., Path]
) -> None:
    folder = write_model(tmp_path / "a")
    scan(file, reader, folder)

    write_model(tmp_path / "a", {"w": 12345})
    [model] = scan(file, reader, folder)

    assert model.weight_bytes == 12345
    assert reader.read == ["a", "a"]


def test_why_a_folder_is_no_model_is_remembered_too(
    tmp_path: Path, file: Path, reader: Reader, write_model: Callable[..., Path]
) -> None:
    folder = write_model(tmp_path / "a")
    (folder / "model.safetensors").write_bytes(b"junk")

    for _ in range(2):
        index = Index(file, reader)
        with pytest.raises(BrokenModel, match="cut short"):
            index.model(folder, "a")
        index.save()

    assert reader.read == ["a"]


def test_folders_that_are_gone_are_forgotten(
    tmp_path: Path, file: Path, reader: Reader, write_model: Callable[..., Path]
) -> None:
    one, other = write_model(tmp_path / "one"), write_model(tmp_path / "other")
    scan(file, reader, one, other)

    scan(file, reader, one)

    assert list(json.loads(file.read_text())["folders"]) == [str(one)]


def test_nothing_is_written_where_nothing_has_changed(
    tmp_path: Path, file: Path, reader: Reader, write_model: Callable[..., Path]
) -> None:
    folder = write_model(tmp_path / "a")
    scan(file, reader, folder)
    written = file.stat().st_mtime_ns

    scan(file, reader, folder)

    assert file.stat().st_mtime_ns == written
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: "{",
        lambda value: "[]",
        lambda value: json.dumps({**value, "folders": 5}),
        lambda value: json.dumps({**value, "folders": dict.fromkeys(value["folders"], 5)}),
        lambda value: json.dumps({**value, "rules": "other"}),
        lambda value: json.dumps(value).replace('"weights"', '"waits"'),
        lambda value: json.dumps(value).replace('"targeted"', '"best"'),
        lambda value: json.dumps(value).replace('"attention"', '"inattention"'),
    ],
)
def test_a_damaged_or_foreign_index_is_read_past(
    tmp_path: Path,
    file: Path,
    reader: Reader,
    write_model: Callable[..., Path],
    damage: Callable[[dict[str, Any]], str],
) -> None:
    folder = write_model(tmp_path / "a")
    before = scan(file, reader, folder)
    file.write_text(damage(json.loads(file.read_text())))

    assert scan(file, reader, folder) == before
    assert reader.read == ["a", "a"]


def test_other_code_reads_everything_anew(
    tmp_path: Path,
    file: Path,
    reader: Reader,
    write_model: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write_model(tmp_path / "a")
    scan(file, reader, folder)

    monkeypatch.setattr(index_module, "_rules", lambda: "the code of another day")
    scan(file, reader, folder)

    assert reader.read == ["a", "a"]


def test_a_place_that_takes_no_file_costs_only_memory(
    tmp_path: Path, reader: Reader, write_model: Callable[..., Path]
) -> None:
    (tmp_path / "blocked").write_text("a file where the folder should be")

    assert scan(tmp_path / "blocked" / "index.json", reader, write_model(tmp_path / "a"))


@pytest.mark.parametrize("step", ["write", "replace"])
def test_a_full_disk_is_left_without_drafts(
    step: str, file: Path, reader: Reader, write_model: Callable[..., Path], full_disk: FullDisk
) -> None:
    folder = write_model(file.parent / "a")
    full_disk(step)

    assert scan(file, reader, folder)
    assert [place.name for place in file.parent.iterdir()] == ["a"]


def test_a_folder_that_vanished_is_a_broken_model(
    tmp_path: Path, file: Path, reader: Reader
) -> None:
    with pytest.raises(BrokenModel, match="its folder cannot be read"):
        Index(file, reader).model(tmp_path / "absent", "absent")


def test_what_the_system_refused_is_asked_for_again(
    file: Path,
    reader: Reader,
    refuse: Refuse,
    write_model: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = write_model(file.parent / "one")
    refuse(folder / "model.safetensors")
    with pytest.raises(BrokenModel, match="Permission denied"):
        scan(file, reader, folder)
    monkeypatch.undo()

    [model] = scan(file, reader, folder)

    assert (model.repo_id, reader.read) == ("one", ["one", "one"])
