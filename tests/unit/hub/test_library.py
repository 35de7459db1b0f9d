import asyncio
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hub import library as module
from hub.config import HubConfig
from hub.decode_rates import MeasuredRate
from hub.library import announce, assess_all, forget, get_entry, get_inventory, get_library
from hub.registry import Inventory, scan
from tests.plugins.five_models import CASES, M4_PRO

RATE = MeasuredRate(12.5, datetime(2026, 7, 1, tzinfo=UTC))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the library sees, in seconds; and an M4 Pro, without a database."""
    now = [1000.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module, "this_machine", lambda config: M4_PRO)
    monkeypatch.setattr(module, "decode_rates", lambda device: {})
    forget()
    return now


@pytest.mark.parametrize("case", CASES)
def test_a_model_is_assessed_for_this_machine(config: HubConfig, case: str) -> None:
    CASES[case].write(config.models_dir / "org" / "model")

    [entry] = assess_all(scan(config), M4_PRO, {}).entries

    assert entry.assessment is not None
    assert entry.assessment.fits == CASES[case].fits
    assert entry.assessment.max_safe_context == CASES[case].max_context
    assert entry.decode_tps == pytest.approx(CASES[case].tps, abs=0.001)


def test_a_measured_rate_beats_the_prediction(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/a")
    write_cached_model("org/b")

    a, b = assess_all(scan(config), M4_PRO, {("org/a", "abc123"): RATE}).entries

    assert (a.measured, a.decode_tps) == (RATE, 12.5)
    assert b.assessment is not None
    assert (b.measured, b.decode_tps) == (None, b.assessment.predicted_decode_tps)


def test_a_model_of_unknown_shape_has_no_assessment(
    config: HubConfig, write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/odd", num_attention_heads=None)

    [entry] = assess_all(scan(config), M4_PRO, {}).entries

    assert (entry.assessment, entry.decode_tps, entry.model.tier) == (None, None, None)


async def ids(config: HubConfig, *, refresh: bool = False) -> list[str]:
    return [model.repo_id for model in (await get_inventory(config, refresh=refresh)).models]


async def test_it_is_kept_for_half_a_minute(
    config: HubConfig, clock: list[float], write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/a")
    first = await ids(config)
    write_cached_model("org/b")

    clock[0] += 29
    kept = await ids(config)
    clock[0] += 1
    anew = await ids(config)

    assert (first, kept, anew) == (["org/a"], ["org/a"], ["org/a", "org/b"])


async def test_it_is_read_anew_when_asked_or_told_to_forget(
    config: HubConfig, clock: list[float], write_cached_model: Callable[..., Path]
) -> None:
    await ids(config)
    write_cached_model("org/a")
    refreshed = await ids(config, refresh=True)
    write_cached_model("org/b")

    forget()

    assert refreshed == ["org/a"]
    assert await ids(config) == ["org/a", "org/b"]


@pytest.fixture
def held_scan(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """The first scan has looked when the first event is set, and ends once the second is."""
    looked, release = threading.Event(), threading.Event()

    def held(config: HubConfig) -> Inventory:
        found = scan(config)
        if not looked.is_set():
            looked.set()
            release.wait(20)
        return found

    monkeypatch.setattr(module, "scan", held)
    return looked, release


async def test_what_changes_during_a_scan_is_read_by_the_next(
    config: HubConfig,
    clock: list[float],
    held_scan: tuple[threading.Event, threading.Event],
    write_cached_model: Callable[..., Path],
) -> None:
    looked, release = held_scan
    first = asyncio.create_task(ids(config))
    await asyncio.to_thread(looked.wait, 20)
    write_cached_model("org/a")

    forget()
    release.set()

    assert await first == []
    assert await ids(config) == ["org/a"]


async def test_a_scan_that_began_earlier_does_not_take_the_place_of_a_later_one(
    config: HubConfig,
    clock: list[float],
    held_scan: tuple[threading.Event, threading.Event],
    write_cached_model: Callable[..., Path],
) -> None:
    looked, release = held_scan
    first = asyncio.create_task(ids(config))
    await asyncio.to_thread(looked.wait, 20)
    write_cached_model("org/a")

    refreshed = await ids(config, refresh=True)
    release.set()
    await first

    assert (refreshed, await ids(config)) == (["org/a"], ["org/a"])


async def test_it_is_read_anew_when_another_process_announces_a_change(
    config: HubConfig, clock: list[float], write_cached_model: Callable[..., Path]
) -> None:
    first = await ids(config)
    write_cached_model("org/a")

    config.changes_file.parent.mkdir(parents=True)
    config.changes_file.touch()

    assert (first, await ids(config)) == ([], ["org/a"])


async def test_an_announced_change_is_read_once(
    config: HubConfig, clock: list[float], write_cached_model: Callable[..., Path]
) -> None:
    announce(config)
    first = await ids(config)
    write_cached_model("org/a")

    kept = await ids(config)
    announce(config)

    assert (first, kept, await ids(config)) == ([], [], ["org/a"])


async def test_the_library_is_the_inventory_assessed_for_this_machine(
    config: HubConfig, clock: list[float], write_cached_model: Callable[..., Path]
) -> None:
    write_cached_model("org/a")
    expected = assess_all(scan(config), M4_PRO, {})

    assert await get_library(config) == expected


async def test_a_model_is_assessed_though_its_folder_has_gone(
    config: HubConfig, clock: list[float], write_cached_model: Callable[..., Path]
) -> None:
    folder = write_cached_model("org/a")
    [expected] = (await get_library(config)).entries
    shutil.rmtree(folder)

    assert await get_entry(config, expected.model) == expected
