"""The tier over arrays: what it does with what cannot be written."""

import pytest
from mlx_lm.models.cache import KVCache

from inference.engine.cache.prefix import Entry
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd.config import SsdConfig
from inference.engine.cache.ssd.spill_queue import Reason
from inference.engine.cache.ssd.tier import SsdTier
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

    def start(*fresh):
        tier = SsdTier(SsdConfig(tmp_path, 10**6), ORIGIN, list(fresh), IdleWork())
        tiers.append(tier)
        tier.serve(Nothing())
        return tier

    yield start
    for tier in tiers:
        tier.close()


def test_a_model_of_an_unknown_kind_of_cache_keeps_nothing_and_loses_nothing(open_tier, caplog):
    tier = open_tier(StrangeCache())
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
