import io
import sys
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.folders import main_snapshot
from hub.management.commands import download
from tests.plugins.fake_hub import FakeHub
from tests.plugins.hub_model import REPO_ID, SIZE, model_files


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("download", *arguments, stdout=output)
    return output.getvalue()


def test_it_downloads_and_says_where_and_nothing_else(
    fake_hub: FakeHub, hub_settings: HubConfig, capfd: pytest.CaptureFixture[str]
) -> None:
    fake_hub.add(REPO_ID, model_files())

    output = run(REPO_ID)

    folder = main_snapshot(CachedRepo.of(hub_settings, REPO_ID).folder)
    assert output == f"{REPO_ID} is ready: {folder}\n"
    assert capfd.readouterr() == ("", "")  # no bar where nobody looks
    assert hub_settings.changes_file.exists()


@pytest.mark.usefixtures("hub_settings")
def test_a_terminal_gets_a_bar(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_hub.add(REPO_ID, model_files())
    monkeypatch.setattr(sys, "stderr", Terminal())

    run(REPO_ID)

    assert isinstance(sys.stderr, io.StringIO)
    last = sys.stderr.getvalue().strip().splitlines()[-1].rpartition("\r")[2]
    assert last.startswith(f"{REPO_ID}, file 4 of 4 100% |")
    assert "500k of 500k" in last


def test_what_is_here_already_moves_the_bar_and_not_the_rate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())

    with download.BarProgress(REPO_ID) as progress:
        progress.planned(files=1, size=SIZE)
        progress.found(1000)
        progress.received(500)
        progress.dropped(200)

        assert (progress._bar.n, progress._bar.initial) == (1300, 1000)


@pytest.mark.usefixtures("hub_settings")
def test_a_commit_can_be_named(fake_hub: FakeHub) -> None:
    repo = fake_hub.add(REPO_ID, model_files())

    assert f"/snapshots/{repo.commit}\n" in run(REPO_ID, "--revision", repo.commit)


@pytest.mark.usefixtures("hub_settings")
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["name"], "write 'owner/name'"),
        ([REPO_ID, "--revision", "../x"], "is not the name of a branch"),
        ([REPO_ID], "the Hub has no owner/model, or it is private"),
    ],
)
def test_what_cannot_be_downloaded_is_an_error_in_one_line(
    arguments: list[str], error: str
) -> None:
    with pytest.raises(CommandError, match=error) as caught:
        run(*arguments)

    assert "\n" not in str(caught.value)


def test_a_cache_that_cannot_be_written_is_an_error_in_one_line(hub_settings: HubConfig) -> None:
    hub_settings.hf_cache_dir.parent.mkdir(parents=True)
    hub_settings.hf_cache_dir.write_text("a file")

    with pytest.raises(CommandError, match=r"the Hugging Face cache cannot be written \(Not a dir"):
        run(REPO_ID)


def test_a_download_under_way_elsewhere_is_not_joined(hub_settings: HubConfig) -> None:
    with CachedRepo.of(hub_settings, REPO_ID).lock() as lock:
        lock.acquire()

        with pytest.raises(CommandError, match="is already in progress"):
            run(REPO_ID)


@pytest.mark.usefixtures("hub_settings")
def test_control_c_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(download, "download_model", interrupt)

    with pytest.raises(CommandError, match="stopped; the same command goes on from here"):
        run(REPO_ID)
