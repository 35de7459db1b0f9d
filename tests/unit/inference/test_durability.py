"""What is written before the end, within a time, and what is said of the rest."""

from dataclasses import replace

from inference.durability import Durability
from inference.engine.cache.ssd.stats import FlushReport
from tests.plugins.scripted_tier import STATS, ScriptedTier


def test_nothing_is_said_when_all_is_durable(caplog):
    Durability(ScriptedTier()).flush_within(1)
    Durability().flush_within(1)

    assert caplog.records == []


def test_it_can_begin_without_waiting():
    tier = ScriptedTier(None)

    Durability(tier).begin()
    Durability().begin()

    assert tier.flushes == 1


def test_what_is_left_is_told(caplog):
    Durability(ScriptedTier(FlushReport(pending_snapshots=3, failed=1))).flush_within(1)

    assert "3 that were not written" in caplog.text


def test_a_flush_that_takes_too_long_is_not_waited_for(caplog):
    tier = ScriptedTier(None, replace(STATS, pending_snapshots=4, pending_spills=1))

    Durability(tier).flush_within(0.01)

    assert "4 that were not written to the SSD cache, 1 that waited" in caplog.text


def test_nor_one_that_the_engine_did_not_live_to_end(caplog):
    tier = ScriptedTier(None)
    tier.flush = lambda: _cancelled(ScriptedTier.flush(tier))

    Durability(tier).flush_within(10)

    assert "6 that were not written" in caplog.text


def _cancelled(future):
    future.cancel()
    return future
