from pathlib import Path

import pytest

from hub.config import HubConfig
from hub.gc.plan import RepoPlan, plan_all
from tests.unit.hub.conftest import Refuse
from tests.unit.hub.gc.conftest import REPO_ID, Build, tree

OLD = {"config.json": "c1", "model.safetensors": "w1"}
NEW = {"config.json": "c1", "model.safetensors": "w2", "tokenizer.json": "t2"}


def names(paths: tuple[Path, ...]) -> list[str]:
    return [path.name for path in paths]


def only(plans: list[RepoPlan]) -> RepoPlan:
    (plan,) = plans
    return plan


def test_a_superseded_snapshot_goes_with_the_blobs_that_it_alone_links(
    build: Build, config: HubConfig
) -> None:
    build({"old": OLD, "new": NEW}, {"main": "new"})

    plan = only(plan_all(config))

    assert plan.repo_id == REPO_ID
    assert names(plan.prune) == ["old"]
    assert names(plan.dead) == ["w1"]  # c1 is shared with the new one
    assert plan.skipped == ()
    assert plan.reclaim_bytes == len("w1") * 10


def test_planning_changes_nothing(build: Build, config: HubConfig) -> None:
    build({"old": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))
    before = tree(config.hf_cache_dir)

    plan_all(config)

    assert tree(config.hf_cache_dir) == before
    assert not (config.hf_cache_dir / ".locks").exists()


def test_a_snapshot_that_alone_has_a_file_is_skipped_and_keeps_its_blobs(
    build: Build, config: HubConfig
) -> None:
    build({"old": {**OLD, "adapter.json": "a1"}, "new": NEW}, {"main": "new"})

    plan = only(plan_all(config))

    assert (names(plan.prune), names(plan.skipped), plan.dead) == ([], ["old"], ())
    assert plan.reclaim_bytes == 0


def test_force_prunes_it_after_all(build: Build, config: HubConfig) -> None:
    build({"old": {**OLD, "adapter.json": "a1"}, "new": NEW}, {"main": "new"})

    plan = only(plan_all(config, force=True))

    assert (names(plan.prune), names(plan.skipped)) == (["old"], [])
    assert names(plan.dead) == ["a1", "w1"]


def test_a_file_that_the_kept_snapshot_links_in_vain_is_one_it_lacks(
    build: Build, config: HubConfig
) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"})
    repo.blob("w2").unlink()

    assert names(only(plan_all(config)).skipped) == ["old"]


def test_every_ref_keeps_its_snapshot(build: Build, config: HubConfig) -> None:
    build({"old": OLD, "new": NEW}, {"main": "new", "refs/pr/1": "old"})

    assert plan_all(config) == []


@pytest.mark.parametrize("refs", [{}, {"main": "gone"}])
def test_without_a_ref_that_leads_somewhere_nothing_goes(
    refs: dict[str, str], build: Build, config: HubConfig
) -> None:
    build({"old": OLD, "new": NEW}, refs, blobs=("orphan",))

    assert plan_all(config, force=True) == []


def test_orphaned_blobs_go_without_any_snapshot(build: Build, config: HubConfig) -> None:
    build({"new": NEW}, {"main": "new"}, blobs=("orphan",))

    plan = only(plan_all(config))

    assert (names(plan.prune), names(plan.dead)) == ([], ["orphan"])


def test_what_is_on_its_way_is_never_a_blob(build: Build, config: HubConfig) -> None:
    repo = build({"new": NEW}, {"main": "new"})
    for name in ("w3.incomplete", "w3.1a2b3c4d.incomplete", "w3.lock", ".DS_Store"):
        (repo.blobs / name).write_text("x")

    assert plan_all(config) == []


def test_a_repo_with_nothing_to_reclaim_is_left_out(build: Build, config: HubConfig) -> None:
    build({"new": NEW}, {"main": "new"})
    build({"a": OLD, "b": OLD}, {"main": "b"}, repo_id="owner/other")

    assert only(plan_all(config)).repo_id == "owner/other"


def test_files_that_are_no_links_count_by_their_own_size(build: Build, config: HubConfig) -> None:
    repo = build({"new": NEW}, {"main": "new"})
    copied = repo.snapshots / "old" / "config.json"
    copied.parent.mkdir()
    copied.write_text("x" * 77)

    assert only(plan_all(config)).reclaim_bytes == 77


def test_a_repo_that_is_being_downloaded_is_left_out(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"})

    with repo.lock() as lock:
        lock.acquire()
        assert plan_all(config) == []


@pytest.mark.parametrize("blob", ["fresh", "w2", "one-of-a-snapshot-to-come"])
def test_while_another_program_writes_a_file_all_of_the_repo_stays(
    blob: str, build: Build, config: HubConfig
) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"}, blobs=("fresh", "orphan"))

    with repo.blob_lock(blob) as lock:
        lock.acquire()
        assert plan_all(config) == []
    assert names(only(plan_all(config)).dead) == ["fresh", "orphan", "w1"]


def test_a_blob_shared_between_repos_frees_nothing_but_its_link(
    build: Build, config: HubConfig
) -> None:
    repo = build({"new": NEW}, {"main": "new"})
    shared = config.hf_cache_dir / "blobs" / "ab" / "shared"
    shared.parent.mkdir(parents=True)
    shared.write_text("many bytes")
    (repo.blobs / "w0").symlink_to(shared)

    plan = only(plan_all(config))

    assert (names(plan.dead), plan.reclaim_bytes) == (["w0"], 0)


def test_a_cache_behind_a_link_is_planned_as_any(
    build: Build, config: HubConfig, tmp_path: Path
) -> None:
    build({"old": OLD, "new": NEW}, {"main": "new"})
    linked = tmp_path / "linked"
    linked.symlink_to(config.hf_cache_dir)

    plan = only(plan_all(HubConfig(config.models_dir, linked)))

    assert (names(plan.prune), names(plan.dead)) == (["old"], ["w1"])


def test_absolute_links_hold_their_blobs_as_well(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "new": {"config.json": "c1"}}, {"main": "new"}, blobs=("w2",))
    (repo.snapshots / "new" / "model.safetensors").symlink_to(repo.blob("w2").absolute())

    assert names(only(plan_all(config)).dead) == ["w1"]


@pytest.mark.parametrize("part", ["", "blobs", "snapshots", "snapshots/new", "refs"])
def test_a_repo_that_is_elsewhere_by_a_link_is_none_of_our_business(
    part: str, build: Build, config: HubConfig, tmp_path: Path
) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))
    place = repo.folder / part
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")

    assert plan_all(config, force=True) == []


def test_a_cache_that_is_not_there_holds_nothing(config: HubConfig) -> None:
    assert plan_all(config) == []


def test_a_snapshot_in_use_is_kept_with_its_blobs(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "served": OLD, "new": NEW}, {"main": "new"}, blobs=("orphan",))

    with repo.use_lock("served") as lock:
        lock.share()
        plan = only(plan_all(config, force=True))
        assert (names(plan.prune), plan.skipped, names(plan.dead)) == (["old"], (), ["orphan"])
    assert names(only(plan_all(config)).prune) == ["old", "served"]


@pytest.mark.parametrize("place", ["refs", "refs/pr", "refs/pr/1", "snapshots/two/a"])
def test_of_a_repo_that_cannot_be_read_whole_nothing_goes(
    place: str,
    build: Build,
    config: HubConfig,
    refuse: Refuse,
    caplog: pytest.LogCaptureFixture,
) -> None:
    # Unreadable, the ref "pr/1" would leave its snapshot, and the folder "a" the blob of "a/b".
    repo = build({"one": OLD, "two": {**NEW, "a/b": "b2"}}, {"main": "two", "pr/1": "one"})
    build({"old": OLD, "new": NEW}, {"main": "new"}, repo_id="owner/other")
    refuse(repo.folder / place)

    assert only(plan_all(config, force=True)).repo_id == "owner/other"
    assert "nothing of owner/model is deleted" in caplog.text
    assert "Permission denied" in caplog.text


def test_a_ref_that_is_not_text_may_name_any_snapshot(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"})
    (repo.refs / "odd").write_bytes(b"\xff\xfe")

    assert plan_all(config, force=True) == []


def test_what_a_file_manager_leaves_among_the_refs_is_none(build: Build, config: HubConfig) -> None:
    repo = build({"old": OLD, "new": NEW}, {"main": "new"})
    (repo.refs / ".DS_Store").write_bytes(b"\xff\xfe")

    assert names(only(plan_all(config)).prune) == ["old"]
