"""Staging and publishing, with files in place of models."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hub.config import HubConfig
from hub.folders import main_snapshot
from hub.gc.plan import plan_all
from jobs.errors import Cancelled
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.errors import QuantizeError
from jobs.quantize.naming import Destination, destination
from jobs.quantize.publish import remove_unfinished, staged
from tests.plugins.hub_settings import until

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def hub(tmp_path: Path) -> HubConfig:
    return HubConfig(tmp_path / "models", tmp_path / "hf")


@pytest.fixture
def place(hub: HubConfig) -> Destination:
    return destination(hub, "org/name", QuantizeConfig(model_id="org/name"))


def publish(place: Destination, text: str) -> None:
    with staged(place) as stage:
        (stage.folder / "config.json").write_text(text)
        (stage.scratch / "notes").write_text("of no use to anybody")


def left(hub: HubConfig) -> list[str]:
    """What is in the cache, but for the locks."""
    if not hub.hf_cache_dir.is_dir():
        return []
    return sorted(p.name for p in hub.hf_cache_dir.iterdir() if p.name != ".locks")


def test_a_result_is_the_main_snapshot_of_a_repo_of_its_own(
    hub: HubConfig, place: Destination
) -> None:
    publish(place, "new")

    assert left(hub) == ["models--org--name-OptiQ-4bit"]
    assert main_snapshot(place.repo.folder) == place.folder
    assert [path.name for path in place.folder.iterdir()] == ["config.json"]


def test_nothing_shows_before_the_end(hub: HubConfig, place: Destination) -> None:
    with staged(place) as stage:
        (stage.folder / "config.json").write_text("half")

        assert all(name.startswith(".") for name in left(hub))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, Cancelled])
def test_whatever_ends_the_work_early_leaves_nothing(
    hub: HubConfig, place: Destination, error: type[BaseException]
) -> None:
    with pytest.raises(error), staged(place) as stage:
        (stage.folder / "config.json").write_text("half")
        raise error

    assert left(hub) == []


def test_an_earlier_result_is_replaced_and_stays_if_the_new_one_fails(
    place: Destination, hub: HubConfig
) -> None:
    publish(place, "old")

    with pytest.raises(RuntimeError), staged(place):
        raise RuntimeError
    kept = (place.folder / "config.json").read_text()
    publish(place, "new")

    assert (kept, (place.folder / "config.json").read_text()) == ("old", "new")
    assert left(hub) == ["models--org--name-OptiQ-4bit"]


def test_a_downloaded_repo_of_the_same_name_keeps_its_snapshots(place: Destination) -> None:
    downloaded = place.repo.snapshots / "abc123"
    downloaded.mkdir(parents=True)
    (downloaded / "config.json").write_text("theirs")
    place.repo.write_ref("main", "abc123")

    publish(place, "ours")

    assert main_snapshot(place.repo.folder) == place.folder
    assert (downloaded / "config.json").read_text() == "theirs"


def test_a_result_is_nothing_to_reclaim(hub: HubConfig, place: Destination) -> None:
    publish(place, "new")

    assert plan_all(hub) == []


def test_two_cannot_write_one_repo_at_once(place: Destination) -> None:
    with (
        staged(place),
        pytest.raises(QuantizeError, match="another process is writing"),
        staged(place),
    ):
        pass


def kill_in_the_middle(hub: HubConfig, place: Destination) -> None:
    """Have a process write, and kill it and all of its group."""
    work = f"""
        import os, signal
        from pathlib import Path
        from hub.cached_repo import CachedRepo
        from jobs.quantize.naming import Destination
        from jobs.quantize.publish import staged
        repo = CachedRepo(Path({str(hub.hf_cache_dir)!r}), {place.repo.folder_name!r})
        with staged(Destination(repo, {place.repo_id!r})) as stage:
            (stage.folder / "model.safetensors").write_bytes(bytes(1000))
            os.killpg(os.getpid(), signal.SIGKILL)
    """
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(work)],
        cwd=ROOT,
        env=environment,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL


def test_a_killed_run_leaves_nothing(hub: HubConfig, place: Destination) -> None:
    kill_in_the_middle(hub, place)

    until(lambda: left(hub) == [])


def test_what_is_left_when_the_machine_stops_goes_with_the_next_run(
    hub: HubConfig, place: Destination
) -> None:
    remains = hub.hf_cache_dir / ".models--org--name-OptiQ-4bit.unfinished-0123abcd"
    (remains / "snapshots" / place.commit).mkdir(parents=True)

    other = QuantizeConfig(model_id="org/other")
    publish(destination(hub, "org/other", other), "new")

    assert left(hub) == ["models--org--other-OptiQ-4bit"]


def test_what_another_process_is_writing_is_not_removed(hub: HubConfig, place: Destination) -> None:
    with staged(place) as stage:
        remove_unfinished(hub.hf_cache_dir)

        assert stage.folder.is_dir()
