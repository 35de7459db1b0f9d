import fcntl
from pathlib import Path

import pytest

from hub.starter.staging import lock, staged_folder


def test_a_folder_appears_only_when_its_block_is_done(tmp_path: Path) -> None:
    target = tmp_path / "owner" / "name"

    with staged_folder(target) as folder:
        (folder / "file").write_text("new")
        assert not target.exists()
        assert folder.parent == target.parent  # one file system, so that a rename suffices

    assert (target / "file").read_text() == "new"
    assert [path.name for path in target.parent.iterdir()] == ["name"]


def test_a_failure_leaves_the_old_folder_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "name"
    target.mkdir()
    (target / "file").write_text("old")

    with pytest.raises(KeyboardInterrupt), staged_folder(target) as folder:
        (folder / "file").write_text("new")
        raise KeyboardInterrupt

    assert (target / "file").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_success_replaces_the_old_folder_whole(tmp_path: Path) -> None:
    target = tmp_path / "name"
    target.mkdir()
    (target / "only-in-the-old-one").touch()

    with staged_folder(target) as folder:
        (folder / "file").touch()

    assert [path.name for path in target.iterdir()] == ["file"]
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    for left in (".name.partial-1", ".name.old"):
        (tmp_path / left).mkdir()
        (tmp_path / left / "half").touch()

    with staged_folder(tmp_path / "name") as folder:
        assert list(folder.iterdir()) == []

    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_a_lock_keeps_others_out_until_it_is_left(tmp_path: Path) -> None:
    def is_free() -> bool:
        with (tmp_path / ".name.lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    with lock(tmp_path / "name"):
        assert not is_free()

    assert is_free()
