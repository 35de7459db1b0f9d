"""When a time of day has come."""

from datetime import UTC, datetime, time, timedelta, timezone

import pytest

from jobs import queue
from jobs.daily import Daily, Due, read_time
from jobs.daily_request import ask_server

NIGHT = datetime(2026, 1, 1, 2, 59, 30)


def test_a_time_has_come_once_it_is_passed_and_once_a_day():
    due = Due(time(3), UTC)

    looks = [due(NIGHT + timedelta(minutes=minute)) for minute in range(2 * 24 * 60)]

    assert [minute for minute, came in enumerate(looks) if came] == [1, 24 * 60 + 1]


def test_a_time_is_that_of_the_zone():
    due = Due(time(3), timezone(timedelta(hours=2)))

    due(datetime(2026, 1, 1, 0, 59))

    assert due(datetime(2026, 1, 1, 1, 0))


def test_a_machine_that_slept_through_a_time_makes_up_for_it():
    due = Due(time(3), UTC)

    due(NIGHT)

    assert due(NIGHT + timedelta(hours=6))


def test_a_server_that_starts_after_the_time_waits_for_the_next_day():
    due = Due(time(3), UTC)

    assert not due(NIGHT + timedelta(hours=6))


@pytest.mark.parametrize("text", ["24:00", "3", "3pm", "", "03:00:00", "-1:00"])
def test_what_is_no_time_of_day_is_refused(text):
    with pytest.raises(ValueError):
        read_time(text)


def test_off_is_no_time():
    assert read_time("off") is None
    assert read_time("3:05") == time(3, 5)


def test_a_server_that_is_gone_is_only_noted(caplog):
    ask_server(Daily("memory", time(3), "/x"), "http://127.0.0.1:9", None)

    assert "the server cannot be asked" in caplog.text


def test_without_anything_daily_there_is_no_clock(settings):
    settings.JOBS = type(settings.JOBS)(**{**_fields(settings.JOBS), "daily": ()})

    assert queue.make_clock() is None


def test_the_clock_does_what_is_due(settings, monkeypatch):
    asked = []
    monkeypatch.setattr(queue, "ask_server", lambda *args: asked.append(args))
    daily = Daily("memory", time(3), "/v1/memory/synthesize")
    settings.JOBS = type(settings.JOBS)(**{**_fields(settings.JOBS), "daily": (daily,)})
    settings.API_KEYS = ("secret",)
    huey = queue.make_clock().huey

    huey.read_periodic(datetime(2026, 1, 1, 0, 0))
    for task in huey.read_periodic(datetime(2026, 1, 2, 23, 59)):
        huey.execute(task)

    assert asked == [(daily, settings.JOBS.server_url, "secret")]


def _fields(config):
    return {name: getattr(config, name) for name in config.__dataclass_fields__}
