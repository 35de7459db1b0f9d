import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.fingerprint import fingerprint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text("{}")
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").symlink_to(tmp_path / "blob")
    (tmp_path / "blob").write_bytes(b"1234")
    return tmp_path


def test_it_stays_while_the_folder_stays(folder: Path) -> None:
    assert fingerprint(folder) == fingerprint(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "config.json").write_text("{} "),
        lambda folder: os.utime(folder / "config.json", ns=(0, 1)),
        lambda folder: (folder / "blob").write_bytes(b"12345"),
        lambda folder: (folder / "blob").unlink(),
        lambda folder: (folder / "modules.json").touch(),
        lambda folder: (folder / "1_Pooling" / "config.json").write_text("{} "),
    ],
    ids=["size", "time", "behind a link", "a link to nowhere", "another file", "below"],
)
def test_it_changes_with_every_file_that_is_read(
    folder: Path, change: Callable[[Path], object]
) -> None:
    before = fingerprint(folder)

    change(folder)

    assert fingerprint(folder) != before


def test_a_missing_folder_has_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        fingerprint(tmp_path / "absent")
