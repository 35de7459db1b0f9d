"""When synthesis runs by itself, and how much it asks at once."""

from datetime import time

import pytest

from mlxsite.schedule import daily, read_batch


def test_synthesis_runs_at_its_time_of_day():
    [found] = daily("03:00")

    assert (found.at, found.path) == (time(3), "/v1/memory/synthesize")


@pytest.mark.parametrize("text", ["off", "OFF", "never", "25:00"])
def test_without_a_time_nothing_runs(text):
    assert daily(text) == ()


@pytest.mark.parametrize(("text", "batch"), [("1", 1), ("64", 64), ("0", None), ("65", None)])
def test_a_batch_is_a_number_within_its_limits(text, batch):
    assert read_batch(text) == batch


@pytest.mark.parametrize("text", ["", "-1", "1.5", "many", "1" * 5000])
def test_what_is_no_number_is_no_batch(text):
    assert read_batch(text) is None
