"""POST /admin/cache/flush, and what the statistics tell of prompts on disk."""

import pytest

from inference import runtime
from inference.durability import Durability
from inference.engine.cache.ssd.stats import FlushReport
from tests.plugins.scripted_tier import ScriptedTier

FLUSH = "/admin/cache/flush"
NOTHING = {
    "flushedSnapshots": 0,
    "missingSnapshots": 0,
    "pendingSnapshots": 0,
    "pendingSpills": 0,
    "pendingSpillBytes": 0,
    "droppedSpills": 0,
    "failedSpills": 0,
    "elapsedMs": 0,
    "entries": 0,
    "longest_durable_prefix_tokens": 0,
}


@pytest.fixture
def serve(make_service, monkeypatch):
    """Serve with a tier whose flushes end so; None for no tier."""

    def serve(report):
        durability = Durability(None if report is None else ScriptedTier(report))
        service = make_service(durability=durability)
        monkeypatch.setattr(runtime, "_service", service)
        return service

    return serve


async def test_without_a_tier_nothing_can_be_lost(serve, async_client):
    serve(None)

    response = await async_client.post(FLUSH)

    assert response.status_code == 200
    assert response.json() == {"durable": True, **NOTHING}
    assert "ssd_cache" not in (await async_client.get("/stats")).json()


async def test_a_flush_that_leaves_nothing(serve, async_client):
    serve(FlushReport(flushed=1, seconds=0.8421, entries=2, longest_prefix=16384))

    response = await async_client.post(FLUSH)

    assert response.status_code == 200
    assert response.json() == {
        "durable": True,
        **NOTHING,
        "flushedSnapshots": 1,
        "elapsedMs": 842,
        "entries": 2,
        "longest_durable_prefix_tokens": 16384,
    }


@pytest.mark.parametrize(
    ("report", "member"),
    [
        (FlushReport(missing=2, pending_snapshots=2), "missingSnapshots"),
        (FlushReport(pending_snapshots=2), "pendingSnapshots"),
        (FlushReport(pending_spills=2, pending_spill_bytes=2), "pendingSpills"),
        (FlushReport(dropped=2), "droppedSpills"),
        (FlushReport(failed=2), "failedSpills"),
    ],
)
async def test_a_flush_that_leaves_something_tells_what(report, member, serve, async_client):
    serve(report)

    response = await async_client.post(FLUSH)

    assert response.status_code == 503
    assert (response.json()["durable"], response.json()[member]) == (False, 2)


async def test_a_flush_that_the_engine_did_not_live_to_end(serve, async_client, monkeypatch):
    service = serve(None)
    tier = ScriptedTier(None)
    monkeypatch.setattr(service, "durability", Durability(tier))
    monkeypatch.setattr(tier, "flush", lambda: _cancelled(ScriptedTier.flush(tier)))

    response = await async_client.post(FLUSH)

    assert response.status_code == 503
    assert response.json()["pendingSnapshots"] == 6


async def test_the_statistics(serve, async_client):
    serve(FlushReport())

    body = (await async_client.get("/stats")).json()

    assert body["ssd_cache"] == {
        "dir": "/cache",
        "entries": 2,
        "bytes": 300,
        "max_bytes": 1000,
        "restores": 3,
        "spills": 4,
        "restore_ms_last": 12.5,
        "demotions": 5,
        "pending_snapshots": 6,
        "pending_spills": 7,
        "pending_spill_bytes": 80,
        "dropped_spills": 9,
        "failed_spills": 10,
        "longest_durable_prefix_tokens": 11,
    }


async def test_the_index_names_the_route(serve, async_client):
    serve(None)

    assert f"POST {FLUSH}" in (await async_client.get("/v1")).json()["endpoints"]


def _cancelled(future):
    future.cancel()
    return future
