"""The startup check of the queue."""

from dataclasses import replace

import pytest

from jobs.checks import queue_can_be_opened


@pytest.mark.parametrize(
    ("url", "ids"),
    [
        (None, []),
        ("redis://127.0.0.1:6399/0", []),
        ("127.0.0.1:6399", ["jobs.E001"]),
        ("http://127.0.0.1", ["jobs.E001"]),
        ("redis://127.0.0.1:port/0", ["jobs.E001"]),
    ],
)
def test_a_queue_that_cannot_be_opened_stops_the_start(jobs_config, settings, url, ids):
    settings.JOBS = replace(jobs_config, queue_url=url)

    assert [message.id for message in queue_can_be_opened()] == ids


def test_a_missing_package_stops_the_start(jobs_config, settings, monkeypatch):
    monkeypatch.setattr("huey.storage.Redis", None)
    settings.JOBS = replace(jobs_config, queue_url="redis://127.0.0.1:6399/0")

    (message,) = queue_can_be_opened()

    assert "redis" in message.msg
    assert "extra `redis`" in message.hint
