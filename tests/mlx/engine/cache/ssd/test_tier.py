"""The tier over arrays: what it does with what cannot be written."""

import threading

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache

from inference.engine.cache.prefix import Entry
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd.config import SsdConfig
from inference.engine.cache.ssd.index import EntryIndex, StoredEntry
from inference.engine.cache.ssd.spill_queue import Reason
from inference.engine.cache.ssd.tier import SsdTier
from inference.engine.cache.store import PrefixStore
from inference.engine.idle_work import IdleWork
from tests.plugins.ssd_entries import ORIGIN


class StrangeCache(KVCache):
    """Of a kind that is not in the table."""


class Nothing:
    """A memory that is asked for nothing."""

    def spill_of(self, key):
        pytest.fail("asked for a prefix that cannot be written")


@pytest.fixture
def open_tier(tmp_path):
    tiers = []

    def start(*fresh, **options):
        config = SsdConfig(tmp_path, **{"max_bytes": 10**6, **options})
        tier = SsdTier(config, ORIGIN, list(fresh), IdleWork())
        tiers.append(tier)
        return tier

    yield start
    for tier in tiers:
        tier.close()


def test_a_model_of_an_unknown_kind_of_cache_keeps_nothing_and_loses_nothing(open_tier, caplog):
    tier = open_tier(StrangeCache())
    tier.serve(Nothing())
    entry = Entry([1, 2], "", CacheSnapshot((StrangeCache(),), 2))

    tier.note(entry)
    tier.spill(entry, Reason.EVICTION)

    assert tier.flush().result(5).durable
    assert tier.stats().pending_spills == 0
    assert [record.message for record in caplog.records] == [
        "the SSD cache: layer caches of the kind StrangeCache are not written to disk"
    ]


def test_a_folder_that_cannot_be_made_is_told_at_once(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(OSError, match=r"exists|directory"):
        SsdTier(SsdConfig(tmp_path / "file", 10**6), ORIGIN, [KVCache()], IdleWork())


@pytest.fixture
def packings(monkeypatch):
    """Tokens of the entries that were packed."""
    found, pack = [], SsdTier.pack

    def note_and_pack(tier, entry, reason):
        found.append(entry.tokens)
        return pack(tier, entry, reason)

    monkeypatch.setattr(SsdTier, "pack", note_and_pack)
    return found


def fill(store, count):
    for number in range(count):
        store.in_memory.store([number, 7], snapshot())


def snapshot():
    cache = KVCache()
    cache.update_and_fetch(mx.zeros((1, 1, 2, 8)), mx.zeros((1, 1, 2, 8)))
    return CacheSnapshot.of([cache], 2)


def test_what_leaves_the_memory_is_packed_once_and_nothing_for_which_there_is_no_room(
    open_tier, packings
):
    size = snapshot().nbytes
    store = PrefixStore(10**6, None, open_tier(KVCache(), queue_bytes=size))
    fill(store, 20)

    assert list(store.demote(-1)) == [1, 0, 0]  # a few at a time
    assert (len(store.in_memory), packings) == (19, [[0, 7]])


def test_what_the_disk_can_never_take_is_packed_once(open_tier, packings):
    store = PrefixStore(10**6, None, open_tier(KVCache(), max_bytes=10))
    fill(store, 20)

    looks = [list(store.demote(-1)) for _ in range(2)]

    assert looks == [[0, 0, 0]] * 2
    assert sorted(packings) == [[number, 7] for number in range(20)]


def test_the_engine_asks_no_disk_for_what_leaves_the_memory(open_tier, packings, monkeypatch):
    tier = open_tier(KVCache())
    path = tier.folder.path / "a"
    path.touch()
    tier._index.add(StoredEntry(path, 2, 1, True), [1, 7], "")
    look = EntryIndex.covers

    def covers(index, tokens, namespace):
        assert threading.current_thread().name == "ssd-cache"
        return look(index, tokens, namespace)

    monkeypatch.setattr(EntryIndex, "covers", covers)
    store = PrefixStore(10**6, None, tier)
    fill(store, 2)
    store.keep([1, 7], "", snapshot().layers)

    assert store.evict_oldest()
    assert list(store.demote(-1)) == [1]
    assert packings == [[0, 7]]
