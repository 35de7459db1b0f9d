import io
from pathlib import Path
from typing import BinaryIO

import pytest

from hub.uploads.upload_file import UploadFile

CONTENT = bytes(range(256)) * 4


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "file").write_bytes(CONTENT)
    return tmp_path / "file"


def test_it_reads_as_any_file_does(path: Path) -> None:
    file = UploadFile(path, lambda size: None)

    assert file.read(10) == CONTENT[:10]
    assert file.seek(-4, io.SEEK_END) == 1020
    assert (file.read(), file.read(), file.tell()) == (CONTENT[-4:], b"", 1024)
    assert file.seek(0) == 0
    assert file.seek(2, io.SEEK_CUR) == 2
    assert file.read() == CONTENT[2:]
    file.close()


def test_it_is_open_only_while_it_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[BinaryIO] = []
    open_path = Path.open

    def watch(self: Path, mode: str) -> BinaryIO:
        opened.append(open_path(self, mode))
        return opened[-1]

    monkeypatch.setattr(Path, "open", watch)
    file = UploadFile(path, lambda size: None)
    before = len(opened)

    while file.read(100):
        assert not opened[-1].closed

    assert (before, len(opened)) == (0, 1)
    assert opened[0].closed


def test_only_what_is_read_for_the_first_time_counts_and_not_before_it_is_to(path: Path) -> None:
    counted: list[int] = []
    file = UploadFile(path, counted.append)
    file.read()
    file.seek(0)
    file.begin_counting()

    file.read(100)
    file.seek(0)  # as when a connection broke
    file.read(150)
    file.read()

    assert counted == [100, 50, 874]
