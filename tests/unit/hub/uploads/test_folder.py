import os
from pathlib import Path

import pytest

from hub.uploads import folder as module
from hub.uploads.errors import NoSource, UnsafeSource
from hub.uploads.folder import own_files
from tests.unit.hub.conftest import Refuse


def names(folder: Path) -> list[str]:
    return [file.name for file in own_files(folder)]


def test_all_files_of_a_folder_are_listed_by_name(folder: Path) -> None:
    assert names(folder) == ["README.md", "config.json", "model.safetensors", "sub/notes.txt"]


def test_what_tools_leave_behind_is_left_out(folder: Path) -> None:
    for name in (".git/config", ".cache/huggingface/x", "__pycache__/a.pyc", ".DS_Store"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")

    assert len(names(folder)) == 4


def test_a_folder_that_cannot_be_read_whole_is_not_sent_in_part(
    folder: Path, refuse: Refuse
) -> None:
    refuse(folder / "sub")

    with pytest.raises(NoSource, match=r"^sub cannot be read \(Permission denied\)$"):
        own_files(folder)


def test_what_is_to_be_left_out_is_not_even_looked_at(folder: Path) -> None:
    (folder / "sub" / "way").symlink_to("/etc")

    files = own_files(folder, lambda name: name in ("sub", "config.json"))

    assert [file.name for file in files] == ["README.md", "model.safetensors"]


def cached(tmp_path: Path, target: Path | str) -> Path:
    """A snapshot of a cached repo with one file that links to `target`."""
    repo = tmp_path / "hub" / "models--org--name"
    (repo / "blobs").mkdir(parents=True)
    (repo / "blobs" / "abc").write_text("{}")
    snapshot = repo / "snapshots" / "123"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").symlink_to(target)
    return snapshot


def test_links_of_a_snapshot_to_blobs_of_its_repo_are_its_files(tmp_path: Path) -> None:
    snapshot = cached(tmp_path, "../../blobs/abc")

    [file] = own_files(snapshot)

    assert (file.name, file.size_bytes) == ("config.json", 2)
    assert file.path == (tmp_path / "hub" / "models--org--name" / "blobs" / "abc").resolve()


def test_a_snapshot_reached_by_a_link_is_still_a_snapshot(tmp_path: Path) -> None:
    snapshot = cached(tmp_path, "../../blobs/abc")
    (tmp_path / "shortcut").symlink_to(snapshot)

    assert names(tmp_path / "shortcut") == ["config.json"]


@pytest.mark.parametrize("target", ["../../../secret", "../../refs/main", "/etc/hostname"])
def test_links_of_a_snapshot_to_anything_else_are_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "secret").write_text("x")
    snapshot = cached(tmp_path, target)

    with pytest.raises(UnsafeSource, match=r"config\.json is a link to a file outside"):
        own_files(snapshot)


def test_a_link_to_the_blob_of_another_repo_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "hub" / "models--org--other" / "blobs"
    other.mkdir(parents=True)
    (other / "abc").write_text("theirs")
    snapshot = cached(tmp_path, other / "abc")

    with pytest.raises(UnsafeSource):
        own_files(snapshot)


def test_a_link_within_a_folder_is_a_file_of_it(folder: Path) -> None:
    (folder / "copy.json").symlink_to("config.json")

    assert "copy.json" in names(folder)


def test_a_link_out_of_a_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "sub" / "innocent.txt").symlink_to(tmp_path / "secret")

    with pytest.raises(UnsafeSource, match=r"sub/innocent\.txt is a link to a file outside"):
        own_files(folder)


def test_a_link_to_a_folder_is_refused_wherever_it_leads(folder: Path, tmp_path: Path) -> None:
    (folder / "linked").symlink_to(tmp_path)

    with pytest.raises(UnsafeSource, match="linked is a link to a folder"):
        own_files(folder)


def test_a_broken_link_is_refused(folder: Path) -> None:
    (folder / "gone").symlink_to("nowhere")

    with pytest.raises(UnsafeSource, match="gone cannot be read"):
        own_files(folder)


def test_what_is_no_file_is_refused_without_waiting_for_it(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    with pytest.raises(UnsafeSource, match="pipe is not a file"):
        own_files(folder)


def test_a_missing_or_empty_folder_is_no_source(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")

    for path in (tmp_path / "gone", tmp_path / "empty", tmp_path / "file"):
        with pytest.raises(NoSource):
            own_files(path)


def test_a_folder_of_too_many_files_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 3)

    with pytest.raises(NoSource, match="more than 3 files"):
        own_files(folder)
