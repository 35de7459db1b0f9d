import random
import shutil
import threading
from pathlib import Path

import pytest
from huggingface_hub import snapshot_download

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.gc.errors import ReclaimFailed
from hub.gc.execute import Reclaimed, execute
from hub.gc.plan import plan_all
from tests.plugins.fake_hub import FakeHub, blob_name
from tests.plugins.hub_model import REPO_ID, SHARD_2, model_files
from tests.plugins.hub_settings import until
from tests.unit.hub.gc.conftest import Build, tree

OLD = {"config.json": "c1", "model.safetensors": "w1", "1_Pooling/config.json": "c1"}
NEW = {"config.json": "c1", "model.safetensors": "w2", "1_Pooling/config.json": "p2"}


def test_it_deletes_the_plan_and_nothing_else(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))
    (repo.blobs / "w3.incomplete").write_text("on its way")
    before = tree(repo.folder)
    (plan,) = plan_all(config)

    done = execute(config)

    assert before - tree(repo.folder) == {
        "snapshots/old/config.json",
        "snapshots/old/model.safetensors",
        "snapshots/old/1_Pooling/config.json",
        "blobs/w1",
        "blobs/orphan",
    }
    assert done == Reclaimed(snapshots=1, blobs=2, bytes=plan.reclaim_bytes)
    assert not (repo.snapshots / "old").exists()
    assert plan_all(config) == []


def test_a_second_time_there_is_nothing_to_do(build: Build, config: HubConfig) -> None:
    build({"old": OLD, "new": NEW}, {"main": "new"})
    execute(config)

    assert execute(config) == Reclaimed()


def test_force_deletes_what_was_skipped(build: Build, config: HubConfig) -> None:
    repo = build({"old": {**OLD, "extra.json": "e1"}, "new": NEW}, {"main": "new"})

    assert execute(config) == Reclaimed()
    assert execute(config, force=True).snapshots == 1
    assert [blob.name for blob in sorted(repo.blobs.iterdir())] == ["c1", "p2", "w2"]


def random_repo(build: Build, numbers: random.Random, repo_id: str) -> CachedRepo:
    files = ["config.json", "model.safetensors", "tokenizer.json", "a/b.json"]
    snapshots = {
        f"commit{number}": {
            file: f"blob{numbers.randrange(8)}"
            for file in numbers.sample(files, numbers.randint(1, len(files)))
        }
        for number in range(numbers.randint(1, 4))
    }
    targets = [*snapshots, "gone"]
    refs = {ref: numbers.choice(targets) for ref in ("main", "v1") if numbers.random() < 0.7}
    blobs = tuple(f"blob{number}" for number in range(8) if numbers.random() < 0.5)
    return build(snapshots, refs, blobs=blobs, repo_id=repo_id)


@pytest.mark.parametrize("seed", range(30))
def test_nothing_under_a_live_ref_is_ever_lost(seed: int, build: Build, config: HubConfig) -> None:
    numbers = random.Random(seed)
    repos = [random_repo(build, numbers, f"owner/model{number}") for number in range(3)]
    live = {
        file: file.read_text()
        for repo in repos
        for ref in repo.refs.rglob("*")
        for file in (repo.snapshots / ref.read_text()).rglob("*")
        if file.is_file()
    }
    planned = plan_all(config, force=bool(seed % 2))
    expected = tree(config.hf_cache_dir)
    for plan in planned:
        gone = [*plan.dead, *(f for s in plan.prune for f in s.rglob("*"))]
        expected -= {str(path.relative_to(config.hf_cache_dir)) for path in gone}

    done = execute(config, force=bool(seed % 2))

    assert {file: file.read_text() for file in live} == live
    assert tree(config.hf_cache_dir) == expected
    assert done.bytes == sum(plan.reclaim_bytes for plan in planned)


def test_a_repo_that_is_being_downloaded_is_left_alone(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"})
    other = build({"old": OLD, "new": NEW}, {"main": "new"}, repo_id="owner/other")

    with repo.lock() as lock:
        lock.acquire()
        done = execute(config)

    assert done.snapshots == 1
    assert (repo.snapshots / "old").exists() and not (other.snapshots / "old").exists()


def test_a_download_by_huggingface_hub_is_left_alone(config: HubConfig, fake_hub: FakeHub) -> None:
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=100_000)
    repo = CachedRepo.of(config, REPO_ID)
    shard = blob_name(SHARD_2, model_files()[SHARD_2])

    def download() -> None:
        snapshot_download(
            REPO_ID, cache_dir=config.hf_cache_dir, endpoint=fake_hub.url, token=False
        )

    thread = threading.Thread(target=download)
    thread.start()
    until(lambda: fault.held.is_set() and len(list(repo.snapshots.glob("*/*"))) == 6)
    assert repo.blob_lock(shard).is_held()
    before = tree(repo.folder)

    done = execute(config)

    assert (done, tree(repo.folder)) == (Reclaimed(), before)
    fault.release.set()
    thread.join(20)
    (snapshot,) = repo.snapshots.iterdir()
    assert (snapshot / SHARD_2).read_bytes() == model_files()[SHARD_2]


def test_a_revision_that_huggingface_hub_fetches_by_its_commit_comes_whole(
    config: HubConfig, fake_hub: FakeHub
) -> None:
    def fetch(revision: str | None = None) -> None:
        snapshot_download(
            REPO_ID,
            revision=revision,
            cache_dir=config.hf_cache_dir,
            endpoint=fake_hub.url,
            token=False,
        )

    repo = CachedRepo.of(config, REPO_ID)
    fake_hub.add(REPO_ID, model_files())
    fetch()
    second = fake_hub.add(REPO_ID, model_files(2))
    fault = fake_hub.fail(SHARD_2, hold_at=100_000)
    thread = threading.Thread(target=fetch, args=(second.commit,))
    thread.start()
    snapshot = repo.snapshots / second.commit
    until(lambda: fault.held.is_set() and len(list(snapshot.glob("*"))) == 6)
    before = tree(repo.folder)

    planned, done = plan_all(config), execute(config)

    assert (planned, done, tree(repo.folder)) == ([], Reclaimed(), before)
    fault.release.set()
    thread.join(20)
    assert {file.name: file.read_bytes() for file in snapshot.iterdir()} == model_files(2)


def test_a_download_that_begins_after_the_plan_ends_the_deletions(
    build: Build, config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = build({"a": OLD, "b": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))
    others = repo.blob_lock("w3")

    def rmtree(snapshot: Path) -> None:
        true_rmtree(snapshot)
        others.acquire()

    true_rmtree = shutil.rmtree
    monkeypatch.setattr("hub.gc.execute.shutil.rmtree", rmtree)
    with others:
        done = execute(config)

    assert (done.snapshots, done.blobs) == (1, 0)
    assert (repo.snapshots / "b").exists() and repo.blob("orphan").exists()


def test_a_blob_that_was_linked_since_the_plan_stays(
    build: Build, config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))

    def rmtree(snapshot: Path) -> None:  # another program links while we are at work
        repo.link("new", "late.json", "orphan")
        true_rmtree(snapshot)

    true_rmtree = shutil.rmtree
    monkeypatch.setattr("hub.gc.execute.shutil.rmtree", rmtree)
    execute(config)

    assert (repo.snapshots / "new" / "late.json").read_text() == "orphan" * 10
    assert not repo.blob("w1").exists()


def test_what_a_snapshot_links_outside_of_the_cache_is_not_touched(
    build: Build, config: HubConfig, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    repo = build({"old": OLD, "new": {**NEW, "folder": "f2", "file": "f2"}}, {"main": "new"})
    (repo.snapshots / "old" / "folder").symlink_to(outside)
    (repo.snapshots / "old" / "file").symlink_to(outside / "precious")

    assert execute(config).snapshots == 1
    assert (outside / "precious").read_text() == "mine"


@pytest.mark.parametrize("part", ["", "blobs", "snapshots", "snapshots/old", "refs"])
def test_nothing_is_deleted_behind_a_link(
    part: str, build: Build, config: HubConfig, tmp_path: Path
) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))
    elsewhere = tmp_path / "elsewhere"
    (repo.folder / part).rename(elsewhere)
    (repo.folder / part).symlink_to(elsewhere)
    before = tree(tmp_path)

    assert execute(config, force=True) == Reclaimed()
    assert tree(tmp_path) == before


def test_a_deletion_that_is_refused_is_told_without_a_path(
    build: Build, config: HubConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    build({"old": OLD, "new": NEW}, {"main": "new"})

    def rmtree(snapshot: Path) -> None:
        raise PermissionError(13, "Permission denied", str(snapshot))

    monkeypatch.setattr("hub.gc.execute.shutil.rmtree", rmtree)
    with pytest.raises(ReclaimFailed) as caught:
        execute(config)

    assert str(caught.value) == (
        "owner/model could not be cleaned up (Permission denied); 0 bytes were reclaimed before"
    )
