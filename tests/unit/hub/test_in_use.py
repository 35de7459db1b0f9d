import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hub import in_use
from hub.cached_repo import CachedRepo
from hub.config import HubConfig

ANOTHER_SERVER = """
import sys
from pathlib import Path
from hub.in_use import keep_only
keep_only(Path(sys.argv[1]))
print("kept", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def repo(config: HubConfig) -> Iterator[CachedRepo]:
    repo = CachedRepo.of(config, "owner/model")
    for commit in ("one", "two"):
        (repo.snapshots / commit).mkdir(parents=True)
    yield repo
    in_use.keep_only()


def used(repo: CachedRepo) -> list[str]:
    return [name for name in ("one", "two") if repo.use_lock(name).is_shared_or_held()]


def test_what_was_marked_before_is_let_go_of(repo: CachedRepo) -> None:
    one, two = repo.snapshots / "one", repo.snapshots / "two"

    told = []
    for folders in ([one], [one, two], [two], []):
        in_use.keep_only(*folders)
        told.append(used(repo))

    assert told == [["one"], ["one", "two"], ["two"], []]


def test_two_servers_may_use_one_snapshot_and_a_mark_ends_with_its_process(
    repo: CachedRepo,
) -> None:
    command = [sys.executable, "-c", ANOTHER_SERVER, str(repo.snapshots / "one")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "kept\n"
        in_use.keep_only(repo.snapshots / "one")
        in_use.keep_only()
        while_it_lives = used(repo)
        other.kill()
        other.wait()

    assert (while_it_lives, used(repo)) == (["one"], [])


def test_a_folder_that_leads_to_a_snapshot_marks_that(repo: CachedRepo, tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to(repo.snapshots / "one")

    in_use.keep_only(tmp_path / "mine")

    assert used(repo) == ["one"]


def test_folders_elsewhere_are_not_marked(tmp_path: Path) -> None:
    folder = tmp_path / "models" / "owner" / "name"
    folder.mkdir(parents=True)

    in_use.keep_only(folder)

    assert not list(tmp_path.rglob("*.in-use"))


def test_a_cache_that_cannot_be_written_is_served_without_marks(
    repo: CachedRepo, caplog: pytest.LogCaptureFixture
) -> None:
    (repo.cache_dir / ".locks").write_text("in the way")

    in_use.keep_only(repo.snapshots / "one")

    assert "cannot be marked as in use" in caplog.text


def test_a_mark_lasts_as_long_as_its_block_beside_those_of_what_is_served(
    repo: CachedRepo, tmp_path: Path
) -> None:
    one, two = repo.snapshots / "one", repo.snapshots / "two"
    in_use.keep_only(one)

    with in_use.marked(one, one, two, tmp_path / "mine"):
        in_use.keep_only()
        during = used(repo)

    assert (during, used(repo)) == (["one", "two"], [])


def test_a_mark_ends_with_a_block_that_fails(repo: CachedRepo) -> None:
    with pytest.raises(ZeroDivisionError), in_use.marked(repo.snapshots / "one"):
        1 / 0  # noqa: B018

    assert used(repo) == []
