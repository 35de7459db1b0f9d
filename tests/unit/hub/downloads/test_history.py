"""Downloads as rows: begun, ended, and found dead by whoever looks."""

import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import OperationalError

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads import runtime
from hub.downloads.history import DownloadRows, catch_up
from hub.downloads.tracker import TrackedDownload
from hub.models import DownloadRecord
from tests.plugins.fake_hub import FakeHub
from tests.plugins.hub_model import REPO_ID, SHARD_2, SIZE, model_files
from tests.plugins.hub_settings import until

STATUS = replace(TrackedDownload(REPO_ID).status(), received_bytes=30, total_bytes=100)

rows = DownloadRows()


def the_row() -> DownloadRecord:
    return DownloadRecord.objects.get()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "cancelled", "state"),
    [(None, False, "done"), ("no room", False, "failed"), ("on request", True, "cancelled")],
)
def test_a_row_says_how_a_download_ended(error: str | None, cancelled: bool, state: str) -> None:
    rows.began(REPO_ID)
    assert (the_row().state, the_row().finished_at) == ("active", None)

    rows.ended(STATUS, error=error, cancelled=cancelled)

    row = the_row()
    assert (row.state, row.error) == (state, error or "")
    assert (row.received_bytes, row.total_bytes) == (30, 100)
    assert row.finished_at is not None
    assert row.started_at <= row.finished_at


@pytest.mark.django_db
def test_an_active_row_of_a_process_that_died_gives_way_to_the_next() -> None:
    rows.began(REPO_ID)
    rows.began(REPO_ID)

    assert list(DownloadRecord.objects.order_by("id").values_list("state", flat=True)) == [
        "interrupted",
        "active",
    ]


@pytest.mark.django_db
def test_whoever_looks_sees_how_far_it_is(config: HubConfig) -> None:
    rows.began(REPO_ID)

    catch_up(config, [STATUS])

    assert (the_row().state, the_row().received_bytes) == ("active", 30)


@pytest.mark.django_db
def test_whoever_looks_finds_out_that_its_process_has_gone(config: HubConfig) -> None:
    rows.began(REPO_ID)

    catch_up(config, [])

    assert the_row().state == "interrupted"
    assert the_row().finished_at is not None


@pytest.mark.django_db
def test_a_download_of_another_process_is_active_while_it_holds_its_lock(
    config: HubConfig,
) -> None:
    rows.began(REPO_ID)
    lock = CachedRepo.of(config, REPO_ID).lock()
    lock.acquire()

    catch_up(config, [])
    assert the_row().state == "active"
    lock.release()

    catch_up(config, [])
    assert the_row().state == "interrupted"


@pytest.mark.django_db
def test_a_database_that_cannot_be_written_is_logged_and_no_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(**_: object) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(DownloadRecord.objects, "create", refuse)

    with caplog.at_level(logging.WARNING):
        rows.began(REPO_ID)

    assert "database is locked" in caplog.text


@pytest.fixture
def cancelled_download(hub_settings: HubConfig, fake_hub: FakeHub) -> Iterator[FakeHub]:
    """A download of this process's `Downloads` that was cancelled on its way."""
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=1)
    runtime.get_downloads().start(REPO_ID)
    until(fault.held.is_set)
    runtime.get_downloads().cancel(REPO_ID)
    fault.release.set()
    until(lambda: runtime.get_downloads().statuses()[0].state == "error")
    fake_hub.faults.clear()
    yield fake_hub


@pytest.mark.usefixtures("cancelled_download")
def test_the_servers_own_downloads_are_written_on_their_threads() -> None:
    runtime.get_downloads().start(REPO_ID)
    until(lambda: runtime.get_downloads().statuses()[0].state == "done")

    first, second = DownloadRecord.objects.order_by("id")
    assert (first.state, second.state) == ("cancelled", "done")
    assert second.received_bytes == second.total_bytes == SIZE
