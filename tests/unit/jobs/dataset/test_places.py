"""Folders of datasets: whole, or not there."""

import os
import time

import pytest

from jobs.dataset import places
from jobs.dataset.errors import DatasetError


def test_each_dataset_has_a_folder_of_its_own(cache):
    found = [places.new_folder("sft_qa_pairs") for _ in range(3)]

    assert len(set(found)) == 3
    assert {path.parent for path in found} == {cache / "datasets"}
    assert not cache.exists()


def test_a_folder_is_filled_at_once(cache):
    folder = places.new_folder("t")

    with places.staged(folder) as stage:
        (stage / "a").write_text("x")
        assert not folder.exists()

    assert [path.name for path in folder.iterdir()] == ["a"]
    assert list(folder.parent.iterdir()) == [folder]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_whatever_ends_the_work_nothing_is_left(cache, error):
    folder = places.new_folder("t")

    with pytest.raises(error), places.staged(folder) as stage:
        (stage / "a").write_text("x")
        raise error

    assert list(folder.parent.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a").write_text("x")

    with pytest.raises(DatasetError, match="cannot be written"), places.staged(tmp_path / "mine"):
        pass

    assert (tmp_path / "mine" / "a").read_text() == "x"


def test_what_killed_jobs_left_is_removed_and_what_others_write_is_not(tmp_path):
    left, new = tmp_path / ".a.unfinished", tmp_path / ".b.unfinished"
    for folder in (left, new):
        folder.mkdir()
    os.utime(left, (time.time() - 3600,) * 2)

    with places.staged(tmp_path / "c"), places.staged(tmp_path / "d"):
        names = {path.name for path in tmp_path.iterdir()}

    assert names == {".b.unfinished", ".c.unfinished", ".d.unfinished"}


def test_a_place_that_cannot_be_is_told(cache):
    cache.mkdir()
    (cache / "datasets").write_text("a file")

    with (
        pytest.raises(DatasetError, match="cannot be written"),
        places.staged(places.new_folder("t")),
    ):
        pass
