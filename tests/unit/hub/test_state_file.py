import json
import os
import threading
from pathlib import Path

import pytest

from hub.state_file import NotSaved, read_object, write_object


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "state" / "file.json"

    write_object(path, {"a": [1, "ü"]})

    assert read_object(path) == {"a": [1, "ü"]}


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "file.json"
    old = os.umask(0)
    try:
        write_object(path, {})
    finally:
        os.umask(old)

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_older_file_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text("{}")
    path.chmod(0o644)

    write_object(path, {"a": 1})

    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", [None, "", "[]", "null", "{", '"text"', "[" * 100_000, "\udcff"])
def test_what_is_no_object_reads_as_an_empty_one(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    if text is not None:
        path.write_bytes(text.encode(errors="surrogateescape"))

    assert read_object(path) == {}


def test_a_failed_write_leaves_the_old_file_and_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.json"
    write_object(path, {"a": 1})

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(NotSaved, match=r"file\.json cannot be saved \(No space left on device\)"):
        write_object(path, {"a": 2})

    assert read_object(path) == {"a": 1}
    assert list(tmp_path.iterdir()) == [path]


def test_writers_at_the_same_time_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    values = [{"a": [number] * 500} for number in range(4)]

    threads = [threading.Thread(target=write_object, args=(path, value)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert json.loads(path.read_text()) in values
    assert list(tmp_path.iterdir()) == [path]
