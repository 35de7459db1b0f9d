"""Responses kept for a while and within a limit."""

import pytest

from inference.api.responses.store import ResponseStore, StoredResponse, json_bytes


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def stored(size, name=""):
    return StoredResponse({"id": name}, (), 0, size)


@pytest.fixture
def store(clock):
    return ResponseStore(max_bytes=100, ttl_seconds=10, clock=clock)


def test_what_is_put_can_be_had_again(store):
    entry = stored(5)

    store.put("a", entry)

    assert store.get("a") is entry
    assert store.get("b") is None


def test_the_figures_are_those_of_what_is_kept(store):
    store.put("a", stored(5))
    store.put("b", stored(7))

    assert store.stats() == {"entries": 2, "bytes": 12, "max_bytes": 100, "ttl_ms": 10_000}


def test_by_default_the_limits_are_an_hour_and_32_mebibytes():
    assert ResponseStore().stats() == {
        "entries": 0,
        "bytes": 0,
        "max_bytes": 33_554_432,
        "ttl_ms": 3_600_000,
    }


def test_the_oldest_goes_when_there_is_no_room(store):
    for name in "abc":
        store.put(name, stored(40))

    assert [store.get(name) is not None for name in "abc"] == [False, True, True]
    assert store.stats()["bytes"] == 80


def test_what_was_asked_for_stays_longer(store):
    store.put("a", stored(40))
    store.put("b", stored(40))
    store.get("a")

    store.put("c", stored(40))

    assert [store.get(name) is not None for name in "abc"] == [True, False, True]


def test_as_many_go_as_make_room(store):
    for name in "abc":
        store.put(name, stored(30))

    store.put("d", stored(100))

    assert [store.get(name) is not None for name in "abcd"] == [False, False, False, True]


def test_what_is_larger_than_all_room_is_not_kept_and_drives_nothing_out(store):
    store.put("a", stored(40))

    store.put("b", stored(101))

    assert store.get("b") is None
    assert store.stats()["bytes"] == 40


def test_a_life_is_counted_from_its_beginning_not_from_the_last_use(store, clock):
    store.put("a", stored(5))
    clock.now = 9
    assert store.get("a") is not None

    clock.now = 10

    assert store.get("a") is None
    assert store.stats()["bytes"] == 0


def test_the_expired_go_by_age_whatever_their_use(store, clock):
    store.put("a", stored(5))
    clock.now = 5
    store.put("b", stored(5))
    store.get("a")

    clock.now = 12

    assert store.stats()["entries"] == 1
    assert store.get("b") is not None


def test_what_is_deleted_is_gone(store):
    store.put("a", stored(5))

    assert store.delete("a")
    assert not store.delete("a")
    assert store.get("a") is None
    assert store.stats()["bytes"] == 0


def test_the_expired_cannot_be_deleted(store, clock):
    store.put("a", stored(5))
    clock.now = 11

    assert not store.delete("a")


@pytest.mark.parametrize(
    ("value", "size"), [("ab", 4), ("é", 4), ("\ud800", 5), ([1, {"a": None}], 16)]
)
def test_size_is_counted_in_bytes_of_json(value, size):
    assert json_bytes(value) == size
