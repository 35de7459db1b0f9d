from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.gc.errors import ReclaimFailed
from hub.management.commands import gc
from tests.unit.hub.conftest import Refuse


@pytest.fixture
def repo(hub_settings: HubConfig) -> CachedRepo:
    """A repo with one snapshot to prune and one to skip."""
    repo = CachedRepo.of(hub_settings, "owner/model")
    repo.blobs.mkdir(parents=True)
    snapshots = {
        "new": {"config.json": "c", "model.safetensors": "w2"},
        "old": {"config.json": "c", "model.safetensors": "w1"},
        "odd": {"adapters.safetensors": "a"},
    }
    for commit, files in snapshots.items():
        for file, blob in files.items():
            repo.blob(blob).write_bytes(bytes(1_500_000))
            repo.link(commit, file, blob)
    repo.write_ref("main", "new")
    return repo


def run(*arguments: str) -> list[str]:
    output = StringIO()
    call_command("gc", *arguments, stdout=output)
    return output.getvalue().splitlines()


def test_the_plan_is_a_table_and_deletes_nothing(repo: CachedRepo) -> None:
    assert run() == [
        "Model        Snapshots  Skipped  Blobs   Frees",
        "owner/model          1        1      1  1.5 MB",
        "Total                                   1.5 MB",
        "Skipped snapshots alone have some file; --force counts them in.",
        "Nothing was deleted; --execute does.",
    ]
    assert (repo.snapshots / "old").exists()


def test_execute_deletes_the_plan_and_says_so(repo: CachedRepo) -> None:
    assert run("--execute")[-1] == "Deleted 1 snapshots and 1 blobs: 1.5 MB reclaimed."
    assert {place.name for place in repo.snapshots.iterdir()} == {"new", "odd"}


def test_only_deletions_are_announced_to_servers(repo: CachedRepo, hub_settings: HubConfig) -> None:
    run()
    before = hub_settings.changes_file.exists()
    run("--execute")

    assert (before, hub_settings.changes_file.exists()) == (False, True)


def test_force_counts_in_what_was_skipped(repo: CachedRepo) -> None:
    assert run("--force")[1] == "owner/model          2        0      2  3.0 MB"
    assert run("--force", "--execute")[-1] == "Deleted 2 snapshots and 2 blobs: 3.0 MB reclaimed."


@pytest.mark.usefixtures("hub_settings")
def test_with_nothing_to_reclaim_there_is_no_table() -> None:
    assert run("--execute") == ["Nothing to reclaim."]


@pytest.mark.usefixtures("repo")
def test_a_refused_deletion_is_an_error(
    hub_settings: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(config: HubConfig, *, force: bool) -> None:
        raise ReclaimFailed("owner/model could not be cleaned up")

    monkeypatch.setattr(gc, "execute", fail)

    with pytest.raises(CommandError, match="could not be cleaned up"):
        run("--execute")
    assert hub_settings.changes_file.exists()


@pytest.mark.parametrize("arguments", [[], ["--execute"]])
def test_a_cache_that_cannot_be_read_is_an_error_in_one_line(
    arguments: list[str], repo: CachedRepo, refuse: Refuse
) -> None:
    refuse(repo.cache_dir)

    with pytest.raises(CommandError, match=r"cache cannot be read \(Permission denied\)$"):
        run(*arguments)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1_500_000, "1.5 MB"),
        (2 * 10**12, "2000.0 GB"),
    ],
)
def test_sizes_are_readable(size: int, text: str) -> None:
    assert gc.readable(size) == text
