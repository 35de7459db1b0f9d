"""Several downloads in one process: begun, refused, cancelled, stopped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads import downloads as module
from hub.downloads.downloads import Downloads
from hub.downloads.errors import AlreadyDownloading, DownloadError, InvalidName
from hub.downloads.tracker import DownloadStatus
from hub.token import Tokens
from tests.plugins.fake_hub import FakeHub, blob_name
from tests.plugins.hub_model import REPO_ID, SHARD_2, SIZE, model_files
from tests.plugins.hub_settings import until

SMALL = {"model.safetensors": b"weights", "config.json": b"{}"}


@pytest.fixture
def hub(config: HubConfig, fake_hub: FakeHub) -> HubConfig:
    return HubConfig(config.models_dir, config.hf_cache_dir, fake_hub.url)


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(saved=tmp_path / "hf.json", cli_file=tmp_path / "token")


@pytest.fixture
def downloads(hub: HubConfig, tokens: Tokens, fake_hub: FakeHub) -> Iterator[Downloads]:
    downloads = Downloads(hub, tokens)
    yield downloads
    for fault in fake_hub.faults.values():
        fault.release.set()
    downloads.stop()


def status(downloads: Downloads, repo_id: str = REPO_ID) -> DownloadStatus:
    return next(status for status in downloads.statuses() if status.repo_id == repo_id)


def ended(downloads: Downloads, repo_id: str = REPO_ID) -> DownloadStatus:
    until(lambda: status(downloads, repo_id).state != "active")
    return status(downloads, repo_id)


def test_a_download_runs_by_itself_and_ends_well(downloads: Downloads, fake_hub: FakeHub) -> None:
    fake_hub.add(REPO_ID, model_files())

    downloads.start(REPO_ID)

    done = ended(downloads)
    assert (done.state, done.error) == ("done", None)
    assert done.received_bytes == done.total_bytes == SIZE
    assert done.files_done == done.files_total == 4


def test_an_error_is_kept_for_whoever_asks(downloads: Downloads) -> None:
    downloads.start(REPO_ID)

    failed = ended(downloads)

    assert failed.state == "error"
    assert failed.error is not None and failed.error.startswith(f"the Hub has no {REPO_ID}")


def test_another_try_takes_the_place_of_the_one_that_failed(
    downloads: Downloads, fake_hub: FakeHub
) -> None:
    downloads.start(REPO_ID)
    assert ended(downloads).state == "error"
    fake_hub.add(REPO_ID, model_files())

    downloads.start(REPO_ID)

    assert ended(downloads).state == "done"
    assert [each.repo_id for each in downloads.statuses()] == [REPO_ID]


def test_a_fault_of_ours_ends_one_download_and_is_logged(
    downloads: Downloads, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret details")

    monkeypatch.setattr(module, "download_model", fail)
    downloads.start(REPO_ID)

    assert ended(downloads).error == "internal error; the server's log says more"
    assert f"downloading {REPO_ID} failed" in caplog.text


def test_a_repo_is_not_downloaded_twice_at_once(downloads: Downloads, fake_hub: FakeHub) -> None:
    """Public case jf-02."""
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=100_000)
    downloads.start(REPO_ID)
    assert fault.held.wait(10)

    with pytest.raises(AlreadyDownloading, match=f"a download for {REPO_ID} is already in progr"):
        downloads.start(REPO_ID)

    fault.release.set()
    assert ended(downloads).state == "done"
    downloads.start(REPO_ID)  # afterwards it may be asked for again
    assert ended(downloads).state == "done"


def test_a_repo_that_another_process_downloads_is_refused(
    downloads: Downloads, hub: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub.downloads.repo_lock.PATIENCE", 0)
    with CachedRepo.of(hub, REPO_ID).lock() as lock:
        lock.acquire()
        with pytest.raises(AlreadyDownloading):
            downloads.start(REPO_ID)

    assert downloads.statuses() == []


@pytest.mark.parametrize(("repo_id", "revision"), [("../up", "main"), (REPO_ID, "../up")])
def test_a_name_that_is_none_begins_nothing(
    repo_id: str, revision: str, downloads: Downloads, config: HubConfig
) -> None:
    with pytest.raises(InvalidName):
        downloads.start(repo_id, revision)

    assert not config.hf_cache_dir.exists()


def test_a_cache_that_cannot_be_written_is_an_error_at_once(
    downloads: Downloads, config: HubConfig
) -> None:
    config.hf_cache_dir.parent.mkdir(parents=True)
    config.hf_cache_dir.write_text("a file")

    with pytest.raises(DownloadError, match="the Hugging Face cache cannot be written"):
        downloads.start(REPO_ID)


def test_cancelling_ends_a_download_that_can_be_taken_up_again(
    downloads: Downloads, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=100_000)
    downloads.start(REPO_ID)
    until(lambda: status(downloads).received_bytes >= SIZE - 100_000)

    assert downloads.cancel(REPO_ID)
    fault.release.set()

    stopped = ended(downloads)
    assert stopped.error == "cancelled; downloading again goes on where it stopped"
    fake_hub.faults.clear()
    downloads.start(REPO_ID)
    assert ended(downloads).state == "done"
    assert fake_hub.offsets[SHARD_2][1] >= 100_000


def test_there_is_nothing_to_cancel_unless_it_runs(downloads: Downloads, fake_hub: FakeHub) -> None:
    fake_hub.add(REPO_ID, SMALL)
    assert not downloads.cancel(REPO_ID)

    downloads.start(REPO_ID)
    ended(downloads)

    assert not downloads.cancel(REPO_ID)


def test_a_third_download_waits_for_its_turn_and_can_be_cancelled_meanwhile(
    downloads: Downloads, fake_hub: FakeHub
) -> None:
    fault = fake_hub.fail("model.safetensors", hold_at=1)
    for name in ("a/1", "a/2", "a/3"):
        fake_hub.add(name, SMALL)
        downloads.start(name)
    until(lambda: fake_hub.sent["model.safetensors"] == 2)

    assert status(downloads, "a/3").state == "active"
    assert downloads.cancel("a/3")
    assert ended(downloads, "a/3").state == "error"
    assert not any("a/3" in request for request in fake_hub.requests)

    fault.release.set()
    assert ended(downloads, "a/1").state == ended(downloads, "a/2").state == "done"


def test_the_last_five_are_remembered_newest_first(downloads: Downloads, fake_hub: FakeHub) -> None:
    for number in range(7):
        fake_hub.add(f"a/{number}", SMALL)
        downloads.start(f"a/{number}")
        ended(downloads, f"a/{number}")

    assert [known.repo_id for known in downloads.statuses()] == ["a/6", "a/5", "a/4", "a/3", "a/2"]


def test_those_that_fetch_are_told_before_newer_ones_that_wait_or_have_ended(
    downloads: Downloads, fake_hub: FakeHub
) -> None:
    fault = fake_hub.fail("model.safetensors", hold_at=1)
    for number in range(7):
        fake_hub.add(f"a/{number}", SMALL)
        downloads.start(f"a/{number}")
        if number < 2:  # has its turn
            until(lambda: all(told.current_file for told in downloads.statuses()))
    downloads.cancel("a/6")
    ended(downloads, "a/6")

    assert [told.repo_id for told in downloads.latest()] == ["a/1", "a/0", "a/6", "a/5", "a/4"]

    fault.release.set()
    for number in range(6):
        ended(downloads, f"a/{number}")
    assert len(downloads.latest()) == 5
    assert [told.repo_id for told in downloads.latest()] == [
        told.repo_id for told in downloads.statuses()[:5]
    ]


def test_one_that_still_runs_is_not_forgotten_for_later_ones(
    downloads: Downloads, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files())
    fake_hub.fail(SHARD_2, hold_at=1)
    downloads.start(REPO_ID)
    for number in range(5):
        fake_hub.add(f"a/{number}", SMALL)
        downloads.start(f"a/{number}")
        ended(downloads, f"a/{number}")

    assert status(downloads).state == "active"
    assert len(downloads.statuses()) == 5


def test_stopping_cancels_everything_and_lets_nothing_more_begin(
    downloads: Downloads, fake_hub: FakeHub, hub: HubConfig
) -> None:
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=100_000)
    downloads.start(REPO_ID)
    until(lambda: status(downloads).received_bytes >= SIZE - 100_000)
    fault.release.set()

    downloads.stop()

    assert status(downloads).state == "error"
    repo = CachedRepo.of(hub, REPO_ID)
    assert repo.partial(blob_name(SHARD_2, model_files()[SHARD_2])).stat().st_size >= 100_000
    with pytest.raises(DownloadError, match="the server is stopping"):
        downloads.start("a/b")
    assert not CachedRepo.of(hub, "a/b").lock().is_held()


def test_stopping_does_not_wait_for_a_hub_that_is_silent(
    downloads: Downloads, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files())
    fake_hub.fail(SHARD_2, hold_at=100_000)
    downloads.start(REPO_ID)
    until(lambda: status(downloads).received_bytes >= SIZE - 100_000)

    downloads.stop(timeout=0.05)

    assert status(downloads).state == "active"  # its thread is a daemon and ends with us


def test_a_saved_token_opens_a_gated_repo(
    downloads: Downloads, fake_hub: FakeHub, tokens: Tokens
) -> None:
    fake_hub.add(REPO_ID, SMALL, gated=True)
    downloads.start(REPO_ID)
    assert "is gated" in str(ended(downloads).error)

    tokens.save("hf_right")
    downloads.start(REPO_ID)

    assert ended(downloads).state == "done"
