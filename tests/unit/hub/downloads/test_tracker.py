from collections.abc import Iterator

import pytest

from hub.downloads.tracker import TrackedDownload


@pytest.fixture
def tracked() -> TrackedDownload:
    seconds: Iterator[float] = iter([1000.9, 1010.2])
    tracked = TrackedDownload("owner/model", clock=lambda: next(seconds), timer=lambda: 0.0)
    tracked.planned(files=2, size=300)
    return tracked


def test_a_download_under_way(tracked: TrackedDownload) -> None:
    tracked.began("config.json")
    tracked.found(100)
    tracked.finished()
    tracked.began("model.safetensors")
    tracked.received(50)

    status = tracked.status()

    assert (status.state, status.error, status.finished_at) == ("active", None, None)
    assert status.current_file == "model.safetensors"
    assert (status.received_bytes, status.total_bytes) == (150, 300)
    assert (status.files_done, status.files_total) == (1, 2)
    assert (status.started_at, status.bytes_per_sec) == (1000, 50)


def test_received_bytes_never_fall(tracked: TrackedDownload) -> None:
    """Public case jf-02."""
    tracked.received(200)
    tracked.dropped(200)
    assert tracked.status().received_bytes == 200

    tracked.received(150)
    assert tracked.status().received_bytes == 200

    tracked.received(150)
    assert tracked.status().received_bytes == 300


def test_received_bytes_never_exceed_the_total(tracked: TrackedDownload) -> None:
    """Public case jf-02."""
    tracked.received(301)

    assert tracked.status().received_bytes == 300


@pytest.mark.parametrize(("error", "state"), [(None, "done"), ("the disk is full", "error")])
def test_a_download_that_ended(error: str | None, state: str, tracked: TrackedDownload) -> None:
    tracked.began("config.json")
    tracked.received(10)
    tracked.ended(error)

    status = tracked.status()

    assert (status.state, status.error) == (state, error)
    assert (status.current_file, status.bytes_per_sec) == (None, 0)
    assert (status.started_at, status.finished_at) == (1000, 1010)
