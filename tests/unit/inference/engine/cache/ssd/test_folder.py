"""A folder of entries: within its limit to the byte, whoever else is there."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from hub.file_lock import FileLock
from inference.engine.cache.ssd.folder import EntryFolder, NoRoom

NAMESPACE = "0" * 16


@pytest.fixture
def evicted():
    return []


@pytest.fixture
def folder(tmp_path, evicted):
    return EntryFolder(tmp_path / "model", 100, evicted.append)


def add(folder, size=30, *, age=0):
    path = folder.new_path(NAMESPACE)
    with folder.create(path, size) as file:
        file.write(b"x" * size)
    stamp = path.stat().st_mtime - age
    os.utime(path, (stamp, stamp))
    return path


def files(folder):
    return {path for path in folder.path.rglob("*") if path.is_file() and path.name != "lock"}


def test_a_file_appears_whole(folder):
    path = folder.new_path(NAMESPACE)

    with folder.create(path, 3) as file:
        file.write(b"ab")
        assert not path.exists()
        file.write(b"c")

    assert path.read_bytes() == b"abc"
    assert files(folder) == {path}
    assert folder.used_bytes == 3


def test_one_that_could_not_be_written_leaves_nothing(folder):
    with pytest.raises(OSError, match="full"), folder.create(folder.new_path(NAMESPACE), 30):
        raise OSError("the disk is full")

    assert files(folder) == set()
    assert folder.used_bytes == 0


def test_nor_does_one_that_the_file_system_has_no_size_for(folder, monkeypatch):
    def refuse(path, size):
        raise OSError(errno.EFBIG, "File too large")

    monkeypatch.setattr(os, "truncate", refuse)
    before = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(OSError, match="large"), folder.create(folder.new_path(NAMESPACE), 30):
        pytest.fail("it was created")

    assert len(list(Path("/dev/fd").iterdir())) == before
    assert files(folder) == set()
    assert folder.used_bytes == 0


def test_while_it_is_written_a_file_counts_in_full(folder, evicted):
    old = add(folder, 60, age=10)

    with folder.create(folder.new_path(NAMESPACE), 50):
        assert evicted == [old]
        assert sum(path.stat().st_size for path in files(folder)) == folder.used_bytes == 50


def test_the_oldest_make_room_and_no_more_of_them_than_it_takes(folder, evicted):
    newest = add(folder)
    oldest, older = add(folder, age=20), add(folder, age=10)

    added = add(folder, 40)

    assert evicted == [oldest]
    assert files(folder) == {older, newest, added}
    assert folder.used_bytes == 100


def test_one_that_fits_to_the_byte_evicts_nothing(folder, evicted):
    add(folder, 60)
    add(folder, 40)

    assert evicted == []
    assert folder.used_bytes == 100


def test_one_over_the_limit_is_refused_and_evicts_nothing(folder, evicted):
    add(folder)

    with pytest.raises(NoRoom, match="101 bytes"), folder.create(folder.new_path(NAMESPACE), 101):
        pytest.fail("it was created")

    assert evicted == []


def test_another_process_that_writes_takes_its_room(folder, tmp_path, evicted):
    """Its half-written file cannot be evicted, and is not taken for left over."""
    theirs = EntryFolder(tmp_path / "model", 100, lambda path: None)

    with theirs.create(theirs.new_path(NAMESPACE), 80):
        with pytest.raises(NoRoom), folder.create(folder.new_path(NAMESPACE), 30):
            pytest.fail("it was created")
        add(folder, 20)
        assert folder.used_bytes == 100

    assert len(files(folder)) == 2


def test_what_a_dead_process_left_half_written_is_deleted(folder):
    kept = add(folder)
    left = kept.with_name(f"{'a' * 32}.{'b' * 32}.partial")
    left.write_bytes(b"x" * 50)

    entries = folder.scan()

    assert [entry.path for entry in entries] == [kept]
    assert not left.exists()
    assert folder.used_bytes == 30


def test_files_and_folders_that_are_not_ours_stay_and_do_not_count(folder, tmp_path):
    add(folder)
    others = [
        folder.path / "notes.txt",
        folder.path / NAMESPACE / "model.safetensors",
        folder.path / "backup" / f"{'a' * 32}.safetensors",
        tmp_path / "another-model" / NAMESPACE / f"{'a' * 32}.safetensors",
    ]
    for path in others:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(b"x" * 200)

    add(folder, 70)

    assert folder.used_bytes == 100
    assert all(path.exists() for path in others)


def test_links_are_not_followed(folder, tmp_path):
    add(folder)
    outside = tmp_path / "outside"
    outside.mkdir()
    target = outside / f"{'a' * 32}.safetensors"
    target.write_bytes(b"x" * 200)
    (folder.path / ("f" * 16)).symlink_to(outside)
    (folder.path / NAMESPACE / f"{'c' * 32}.safetensors").symlink_to(target)

    add(folder, 70)

    assert folder.used_bytes == 100
    assert target.exists()


def test_trimming_brings_a_folder_under_a_lower_limit(folder, tmp_path):
    """Public case rl-02, the files' side of it."""
    paths = [add(folder, age=age) for age in (30, 20, 10)]

    EntryFolder(tmp_path / "model", 40, lambda path: None).trim()

    assert files(folder) == {paths[2]}


def test_writing_a_name_again_replaces_the_file(folder):
    path = folder.generation_path("d" * 32)
    for text in (b"first", b"next"):
        with folder.create(path, len(text)) as file:
            file.write(text)

    assert path.read_bytes() == b"next"
    assert folder.used_bytes == 4


def test_nobody_else_can_look_into_it(folder):
    assert folder.path.stat().st_mode & 0o777 == 0o700


def test_one_that_was_deleted_is_made_again_and_as_private(folder):
    shutil.rmtree(folder.path)

    assert folder.scan() == []
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert add(folder).exists()


def test_what_is_gone_can_be_discarded(folder):
    path = add(folder)

    folder.discard(path)
    folder.discard(path)

    assert folder.used_bytes == 0


def test_a_partial_file_is_locked_for_as_long_as_it_is_written(folder):
    with folder.create(folder.new_path(NAMESPACE), 5):
        (partial,) = files(folder)
        assert FileLock(partial).is_held()
