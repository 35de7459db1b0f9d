import logging
import math
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import OperationalError

from hub import decode_rates as module
from hub.decode_rates import MeasuredRate, decode_rates, record_decode_rate

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
MODEL = {"repo_id": "org/a", "snapshot": "abc", "device": "M4 Pro"}


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.timezone, "now", lambda: NOON)


def record(tokens: int = 100, seconds: float = 4.0, **changes: str) -> bool:
    return record_decode_rate(**{**MODEL, **changes}, tokens=tokens, seconds=seconds)


def test_a_rate_is_kept_with_its_time() -> None:
    assert record()

    assert decode_rates("M4 Pro") == {("org/a", "abc"): MeasuredRate(25.0, NOON)}


def test_the_last_rate_of_a_model_counts() -> None:
    record()
    record(seconds=2.0)

    assert decode_rates("M4 Pro")["org/a", "abc"].tokens_per_second == 50.0


def test_snapshots_and_devices_have_rates_of_their_own() -> None:
    record()
    record(snapshot="def")
    record(device="H200")

    assert set(decode_rates("M4 Pro")) == {("org/a", "abc"), ("org/a", "def")}
    assert set(decode_rates("H200")) == {("org/a", "abc")}


@pytest.mark.parametrize(
    ("tokens", "seconds"), [(31, 1.0), (100, 0.0), (100, -1.0), (100, math.nan), (100, math.inf)]
)
def test_what_says_nothing_of_the_model_is_not_kept(tokens: int, seconds: float) -> None:
    assert not record(tokens, seconds)

    assert decode_rates("M4 Pro") == {}


def test_a_database_that_fails_is_no_fault_of_the_generation(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(**_: Any) -> Any:
        raise OperationalError("no such table")

    monkeypatch.setattr(module.DecodeRate.objects, "update_or_create", fail)
    monkeypatch.setattr(module.DecodeRate.objects, "filter", fail)

    with caplog.at_level(logging.WARNING):
        assert not record()

    assert "no such table" in caplog.text
    assert decode_rates("M4 Pro") == {}
