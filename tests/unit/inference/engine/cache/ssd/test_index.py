"""The index of entries on disk, by the rules of the prefix cache."""

import threading
from pathlib import Path

import pytest

from inference.engine.cache.ssd import index as index_module
from inference.engine.cache.ssd.index import EntryIndex, StoredEntry


@pytest.fixture
def deleted():
    """Names of files that are not there any more."""
    return set()


@pytest.fixture
def index(deleted):
    return EntryIndex(exists=lambda path: str(path) not in deleted)


def add(index, tokens, namespace="", *, can_trim=True):
    path = Path("-".join(map(str, tokens)))
    return index.add(StoredEntry(path, len(tokens), 1, can_trim), list(tokens), namespace)


def found(index, tokens, namespace=""):
    entry, length, _ = index.find(list(tokens), namespace)
    return None if entry is None else (str(entry.path), length)


def test_the_longest_usable_prefix_is_found(index):
    add(index, [1, 2, 3, 4])
    add(index, [1, 2, 5], can_trim=False)

    assert found(index, [1, 2, 3, 9]) == ("1-2-3-4", 3)
    assert found(index, [1, 2, 5, 9]) == ("1-2-5", 3)
    assert found(index, [9]) is None
    assert index.find([1, 2, 5], "")[2] == 2
    assert index.longest == 4


def test_namespaces_are_apart(index):
    add(index, [1, 2, 3], "poet")

    assert found(index, [1, 2, 3, 4]) is None
    assert found(index, [1, 2, 3, 4], "poet") == ("1-2-3", 3)


def test_an_entry_makes_those_superfluous_that_can_be_cut_from_it(index):
    add(index, [1])
    add(index, [1, 2], can_trim=False)

    assert add(index, [1, 2, 3]) == [Path("1-2"), Path("1")]
    assert len(index) == 1


def test_one_that_can_be_cut_from_another_is_superfluous_itself(index):
    add(index, [1, 2, 3])

    assert add(index, [1, 2]) == [Path("1-2")]
    assert len(index) == 1


def test_an_entry_that_cannot_be_cut_replaces_nothing_but_its_like(index):
    add(index, [1, 2])

    assert add(index, [1, 2, 3], can_trim=False) == []
    assert add(index, [1, 2, 3], can_trim=False) == [Path("1-2-3")]
    assert len(index) == 2


def test_an_entry_that_is_removed_is_not_found_any_more(index):
    add(index, [1, 2, 3])

    index.remove([Path("1-2-3"), Path("unknown")])

    assert found(index, [1, 2, 3, 4]) is None
    assert (len(index), index.longest) == (0, 0)


def test_it_covers_what_can_be_cut_from_an_entry(index):
    add(index, [1, 2, 3])
    add(index, [7, 8], can_trim=False)

    assert index.covers([1, 2], "") and index.covers([1, 2, 3], "") and index.covers([7, 8], "")
    assert not index.covers([1, 2, 3, 4], "")
    assert not index.covers([7], "")
    assert not index.covers([1, 2], "poet")


def test_a_file_that_was_deleted_covers_nothing(index, deleted):
    add(index, [1, 2, 3])
    add(index, [1, 2, 4, 5])
    deleted.add("1-2-3")

    assert index.covers([1, 2], "")
    assert not index.covers([1, 2, 3], "")
    assert found(index, [1, 2, 3, 4]) == ("1-2-4-5", 2)


def test_one_that_could_be_cut_from_a_file_that_was_deleted_is_not_superfluous(index, deleted):
    add(index, [1, 2, 3])
    deleted.add("1-2-3")

    assert add(index, [1, 2]) == []
    assert index.covers([1, 2], "")


def test_what_was_deleted_is_told_once(index, deleted):
    add(index, [1, 2, 3], "poet")
    add(index, [7, 8], can_trim=False)
    add(index, [9])
    deleted.add("1-2-3")

    assert not index.covers([1, 2], "poet")
    index.retain({Path("9"), Path("of-another-process")})

    assert index.take_gone() == {("poet", (1, 2, 3)): True, ("", (7, 8)): False}
    assert (index.take_gone(), len(index)) == ({}, 1)


def test_what_we_delete_is_not_told(index):
    add(index, [1])
    add(index, [1, 2])
    index.remove([Path("1-2")])

    assert index.take_gone() == {}


def test_what_comes_back_is_not_told(index, deleted):
    for tokens in ([1, 2], [1, 2, 3], [7, 8]):
        add(index, tokens, can_trim=False)
        deleted.add("-".join(map(str, tokens)))
    index.look_for_gone()
    deleted.clear()

    add(index, [1, 2, 3, 4])

    assert index.take_gone() == {("", (7, 8)): False}


def test_of_many_that_went_the_last_are_told(index, deleted, monkeypatch):
    monkeypatch.setattr(index_module, "MOST_GONE", 2)
    for token in range(5):
        add(index, [token, 1])
        deleted.add(f"{token}-1")
        assert not index.covers([token], "")

    assert list(index.take_gone()) == [("", (3, 1)), ("", (4, 1))]


def test_what_should_be_there_is_known_without_a_look(index, deleted):
    add(index, [1, 2, 3])
    deleted.add("1-2-3")

    assert index.knows([1, 2], "")
    assert not index.knows([1, 2, 3, 4], "")
    assert not index.covers([1, 2], "")
    assert not index.knows([1, 2], "")


def test_nobody_waits_for_a_disk_that_takes_long():
    answered = []

    def exists(path):
        asking = threading.Thread(target=index.find, args=([1, 2, 3], ""), daemon=True)
        asking.start()
        asking.join(10)
        answered.append(not asking.is_alive())
        return True

    index = EntryIndex(exists)
    add(index, [1, 2, 3])

    assert index.covers([1, 2], "")
    add(index, [1, 2])
    index.look_for_gone()

    assert answered == [True, True, True]
