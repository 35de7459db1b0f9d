import hashlib
import threading
from pathlib import Path

import pytest

from hub.downloads.content import BLOCK_BYTES, Content
from hub.downloads.errors import Cancelled

DATA = b"some bytes"
# What `git hash-object` says of them.
GIT_SHA1 = "9d9b78c856dff3427514c9f1f0ceb2eeff00b395"
NEVER = threading.Event()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(DATA)
    return path


@pytest.mark.parametrize("blob", [hashlib.sha256(DATA).hexdigest(), GIT_SHA1])
def test_a_file_is_known_by_either_hash(blob: str, file: Path) -> None:
    assert Content(blob, len(DATA)).matches(file, NEVER)


@pytest.mark.parametrize("blob", ["0" * 64, "0" * 40])
def test_another_hash_is_another_content(blob: str, file: Path) -> None:
    assert not Content(blob, len(DATA)).matches(file, NEVER)


def test_another_size_is_another_content(file: Path) -> None:
    assert not Content(hashlib.sha256(DATA).hexdigest(), len(DATA) + 1).matches(file, NEVER)


def test_no_file_is_no_content(tmp_path: Path) -> None:
    assert not Content("0" * 64, 0).matches(tmp_path / "none", NEVER)


def test_looking_at_a_long_file_can_be_cancelled(tmp_path: Path) -> None:
    path, cancelled = tmp_path / "long", threading.Event()
    path.write_bytes(bytes(BLOCK_BYTES + 1))
    cancelled.set()

    with pytest.raises(Cancelled):
        Content("0" * 64, BLOCK_BYTES + 1).matches(path, cancelled)
