"""A whole model from a Hub that does as it is told, and from one that does not."""

import errno
import random
import threading
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from huggingface_hub import constants, snapshot_download

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads.errors import (
    AccessNeeded,
    Cancelled,
    CorruptFile,
    DownloadError,
    HubUnreachable,
    NoRoom,
    NotAModel,
    RefusedByHub,
    RepoNotFound,
)
from hub.folders import main_snapshot
from hub.registry import scan
from tests.plugins.fake_hub import FakeHub, FakeRepo, blob_name
from tests.plugins.hub_model import INDEX, REPO_ID, SHARD_1, SHARD_2, SIZE, WANTED, model_files
from tests.unit.hub.downloads.conftest import NotedProgress

Download = Callable[..., Path]

Usage = namedtuple("Usage", "total used free")


def test_a_model_arrives_whole_and_nothing_else_does(
    download: Download, remote_model: FakeRepo, repo: CachedRepo
) -> None:
    folder = download()

    assert {path.name for path in folder.iterdir()} == WANTED
    assert all((folder / name).read_bytes() == remote_model.files[name] for name in WANTED)
    assert main_snapshot(repo.folder) == folder
    assert list(repo.blobs.glob("*.incomplete")) == []


def test_huggingface_hub_finds_it_and_fetches_nothing_more(
    download: Download, fake_hub: FakeHub, remote_model: FakeRepo, config: HubConfig
) -> None:
    folder = download()
    sent = fake_hub.sent.total()

    theirs = snapshot_download(
        REPO_ID,
        cache_dir=config.hf_cache_dir,
        endpoint=fake_hub.url,
        allow_patterns=["*.safetensors", "*.json"],
        token=False,
    )

    assert Path(theirs) == folder
    assert fake_hub.sent.total() == sent


def test_what_is_complete_is_not_fetched_again(
    download: Download, fake_hub: FakeHub, remote_model: FakeRepo
) -> None:
    download()
    sent = fake_hub.sent.copy()

    download()

    assert fake_hub.sent == sent


def test_progress_adds_up_to_the_announced_size(
    download: Download, remote_model: FakeRepo, progress: NotedProgress
) -> None:
    download()

    assert progress.calls[0] == ("planned", 4, SIZE)
    assert [call[1] for call in progress.calls if call[0] == "began"] == [
        "config.json",
        INDEX,
        SHARD_1,
        SHARD_2,
    ]
    assert progress.have == SIZE


@pytest.mark.usefixtures("remote_model")
def test_a_connection_that_breaks_is_taken_up_where_it_broke(
    download: Download, fake_hub: FakeHub
) -> None:
    fake_hub.fail(SHARD_2, cut_at=80_000, times=1)

    download()

    assert fake_hub.sent[SHARD_2] == 200_000


@pytest.mark.usefixtures("remote_model")
@pytest.mark.parametrize("seed", range(8))
def test_however_often_it_breaks_every_byte_comes_once(
    seed: int, download: Download, fake_hub: FakeHub
) -> None:
    numbers = random.Random(seed)
    fault = fake_hub.fail(SHARD_1)
    fault.cuts = sorted(numbers.sample(range(1, 300_000), numbers.randint(1, 6)))
    fault.times = len(fault.cuts)

    folder = download()

    assert (folder / SHARD_1).read_bytes() == model_files()[SHARD_1]
    assert fake_hub.sent[SHARD_1] == 300_000


@pytest.mark.usefixtures("remote_model")
def test_a_file_that_always_breaks_at_one_place_ends_the_download(
    download: Download, fake_hub: FakeHub, config: HubConfig
) -> None:
    """Public case jf-02."""
    fake_hub.fail(SHARD_2, cut_at=80_000)

    with pytest.raises(HubUnreachable, match="the Hub cannot be reached"):
        download()

    found = scan(config)
    assert (found.models, [skipped.repo_id for skipped in found.skipped]) == ((), [REPO_ID])
    fake_hub.faults.clear()
    download()  # a later run completes it
    assert fake_hub.sent[SHARD_1] == 300_000  # what was complete is not fetched again
    assert fake_hub.sent[SHARD_2] == 200_000


@pytest.mark.usefixtures("remote_model")
def test_a_hub_that_takes_no_notice_of_offsets_sends_the_file_anew(
    download: Download, fake_hub: FakeHub, progress: NotedProgress
) -> None:
    """Public case jf-02."""
    fake_hub.fail(SHARD_2, cut_at=80_000)
    with pytest.raises(HubUnreachable):
        download()
    fake_hub.fail(SHARD_2, ignore_range=True)

    folder = download()

    assert (folder / SHARD_2).read_bytes() == model_files()[SHARD_2]
    assert ("dropped", 80_000) in progress.calls


@pytest.mark.usefixtures("remote_model")
def test_a_file_shorter_than_announced_is_an_error(download: Download, fake_hub: FakeHub) -> None:
    """Public case jf-02."""
    fake_hub.fail(SHARD_2, end_at=150_000)

    with pytest.raises(HubUnreachable, match=f"ended {SHARD_2} 50,000 bytes too early"):
        download()


def test_a_file_that_the_hub_lists_and_does_not_have_is_an_error(
    download: Download, fake_hub: FakeHub
) -> None:
    """Public case jf-02."""
    fake_hub.add(REPO_ID, model_files(), hidden=frozenset({SHARD_2}))

    with pytest.raises(RepoNotFound, match="lists a file that the Hub does not have"):
        download()


def test_a_shard_that_the_index_alone_knows_is_missed_before_any_weight_is_fetched(
    download: Download, fake_hub: FakeHub
) -> None:
    files = model_files()
    del files[SHARD_2]
    fake_hub.add(REPO_ID, files)

    with pytest.raises(NotAModel, match=f"its {INDEX} names {SHARD_2}, which is not there"):
        download()

    assert fake_hub.sent[SHARD_1] == 0


@pytest.mark.usefixtures("remote_model")
def test_content_that_came_corrupt_is_fetched_again(
    download: Download, fake_hub: FakeHub, progress: NotedProgress
) -> None:
    fake_hub.fail(SHARD_1, flip=True, times=1)

    folder = download()

    assert (folder / SHARD_1).read_bytes() == model_files()[SHARD_1]
    assert ("dropped", 300_000) in progress.calls
    assert fake_hub.sent[SHARD_1] == 600_000


@pytest.mark.usefixtures("remote_model")
@pytest.mark.parametrize("file", ["config.json", SHARD_1])
def test_content_that_comes_corrupt_twice_is_not_kept(
    file: str, download: Download, fake_hub: FakeHub, repo: CachedRepo
) -> None:
    fake_hub.fail(file, flip=True)

    with pytest.raises(CorruptFile, match=file):
        download()

    blob = blob_name(file, model_files()[file])
    assert not repo.blob(blob).exists() and not repo.partial(blob).exists()


@pytest.mark.usefixtures("remote_model")
@pytest.mark.parametrize("damage", [b"", b"short", bytes(300_000)], ids=["empty", "short", "zeros"])
def test_a_file_that_was_damaged_here_is_fetched_again(
    damage: bytes, download: Download, fake_hub: FakeHub
) -> None:
    folder = download()
    (folder / SHARD_1).resolve().write_bytes(damage)

    download()

    assert (folder / SHARD_1).read_bytes() == model_files()[SHARD_1]
    assert fake_hub.sent[SHARD_2] == 200_000


@pytest.mark.usefixtures("remote_model")
def test_a_partial_file_that_is_wrong_costs_one_more_transfer(
    download: Download, fake_hub: FakeHub, repo: CachedRepo
) -> None:
    repo.blobs.mkdir(parents=True)
    repo.partial(blob_name(SHARD_1, model_files()[SHARD_1])).write_bytes(bytes(100_000))

    folder = download()

    assert (folder / SHARD_1).read_bytes() == model_files()[SHARD_1]
    assert fake_hub.sent[SHARD_1] == 200_000 + 300_000


@pytest.mark.usefixtures("remote_model")
def test_an_answer_to_try_later_is_followed(download: Download, fake_hub: FakeHub) -> None:
    fake_hub.fail(SHARD_1, status=503, times=2)

    download()

    assert fake_hub.sent[SHARD_1] == 300_000


@pytest.mark.usefixtures("remote_model")
def test_an_answer_for_good_is_not_asked_for_twice(download: Download, fake_hub: FakeHub) -> None:
    fault = fake_hub.fail(SHARD_1, status=410, times=5)

    with pytest.raises(RefusedByHub, match="answered 410"):
        download()

    assert fault.times == 4


@pytest.mark.usefixtures("remote_model")
def test_cancelling_keeps_what_came(
    download: Download, fake_hub: FakeHub, repo: CachedRepo, progress: NotedProgress
) -> None:
    cancelled = threading.Event()
    progress.on_received = lambda: progress.have > SIZE - 80_000 and cancelled.set()

    with pytest.raises(Cancelled):
        download(cancelled=cancelled)
    kept = repo.partial(blob_name(SHARD_2, model_files()[SHARD_2])).stat().st_size
    folder = download()

    assert 120_000 < kept < 200_000
    assert fake_hub.offsets[SHARD_2] == [0, kept]
    assert (folder / SHARD_2).read_bytes() == model_files()[SHARD_2]


@pytest.mark.usefixtures("remote_model")
def test_a_download_cancelled_before_it_began_asks_nothing(
    download: Download, fake_hub: FakeHub
) -> None:
    cancelled = threading.Event()
    cancelled.set()

    with pytest.raises(Cancelled):
        download(cancelled=cancelled)

    assert fake_hub.requests == []


@pytest.mark.parametrize(
    ("token", "hint"),
    [
        (None, "save a token that may read it, in the settings or in HF_TOKEN"),
        ("hf_wrong", "make sure that your token may read it"),
    ],
)
def test_a_gated_repo_says_what_to_do(
    token: str | None, hint: str, download: Download, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files(), gated=True)

    with pytest.raises(AccessNeeded) as caught:
        download(token=token)

    page = f"{fake_hub.url}/{REPO_ID}"
    assert str(caught.value) == f"{REPO_ID} is gated: accept its terms at {page}, then {hint}"


def test_a_token_opens_a_gated_repo_and_is_told_to_the_hub_alone(
    download: Download, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files(), gated=True)

    download(token="hf_right")

    assert ("127.0.0.1", "Bearer hf_right") in fake_hub.seen_tokens
    assert {token for host, token in fake_hub.seen_tokens if host == "localhost"} == {""}


@pytest.mark.usefixtures("remote_model")
@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_without_a_reason_points_at_the_token(
    status: int, download: Download, fake_hub: FakeHub
) -> None:
    fake_hub.fail("config.json", status=status)

    with pytest.raises(AccessNeeded, match=rf"the Hub refuses {REPO_ID} \({status}\): make sure"):
        download(token="hf_expired")


@pytest.mark.usefixtures("remote_model")
def test_a_machine_told_to_stay_offline_asks_nobody(
    download: Download, fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    with pytest.raises(HubUnreachable, match="HF_HUB_OFFLINE is set, so nothing is fetched"):
        download()

    assert fake_hub.requests == []


def test_an_unknown_repo_is_not_found(download: Download) -> None:
    with pytest.raises(RepoNotFound, match="the Hub has no owner/model, or it is private"):
        download()


@pytest.mark.usefixtures("remote_model")
def test_an_unknown_revision_is_not_found(download: Download) -> None:
    with pytest.raises(RepoNotFound, match="has no such revision"):
        download("no-such-branch")


def test_a_commit_gets_a_snapshot_and_no_ref(
    download: Download, remote_model: FakeRepo, repo: CachedRepo
) -> None:
    folder = download(remote_model.commit)

    assert folder == repo.snapshots / remote_model.commit
    assert not repo.refs.exists()


@pytest.mark.usefixtures("remote_model")
def test_the_old_revision_stays_current_until_the_new_one_is_whole(
    download: Download, fake_hub: FakeHub, repo: CachedRepo
) -> None:
    old = download()
    fake_hub.add(REPO_ID, model_files(seed=2))
    fake_hub.fail(SHARD_2, cut_at=1000)
    with pytest.raises(HubUnreachable):
        download()
    assert main_snapshot(repo.folder) == old

    fake_hub.faults.clear()
    new = download()

    assert main_snapshot(repo.folder) == new != old


@pytest.mark.parametrize(
    "body",
    [
        "<html>Sign in to the network</html>",
        "",
        "[]",
        "{}",
        "null",
        '"text"',
        '{"id": "owner/model", "sha": 5, "siblings": 7}',
        '{"id": "owner/model", "sha": "x", "siblings": [1]}',
        '{"id": "owner/model", "sha": "x", "siblings": [{"rfilename": 5}]}',
        '{"id": "owner/model", "sha": "x", "siblings": [{"rfilename": "a.json", "lfs": {"a": 1}}]}',
        "[" * 100_000,
    ],
)
def test_an_answer_that_is_not_the_hub_s_is_one_line(
    body: str, download: Download, fake_hub: FakeHub, remote_model: FakeRepo
) -> None:
    fake_hub.model_body = body.encode()

    with pytest.raises(HubUnreachable, match="is not the Hub's answer; check HF_ENDPOINT"):
        download()


def test_a_question_that_the_hub_refuses_is_told_by_its_status(
    download: Download, fake_hub: FakeHub, remote_model: FakeRepo
) -> None:
    fake_hub.model_status, fake_hub.model_body = 400, b'{"error": "no such parameter"}'

    with pytest.raises(RefusedByHub, match="the Hub answered 400 for owner/model"):
        download()


@pytest.mark.parametrize("files", [{}, {"model.gguf": b"x"}, {"pytorch_model.bin": b"x"}])
def test_a_repo_without_safetensors_is_no_model(
    files: dict[str, bytes], download: Download, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, files)

    with pytest.raises(NotAModel, match="has no safetensors"):
        download()


def test_a_file_name_that_leaves_the_folder_is_refused(
    download: Download, fake_hub: FakeHub, config: HubConfig
) -> None:
    files = {"config.json": b"{}", "model.safetensors": b"x"}
    fake_hub.add(REPO_ID, {"../../../evil.json": b"{}", **files})

    with pytest.raises(RefusedByHub, match="not safe to write"):
        download()

    assert list(config.hf_cache_dir.rglob("*.json")) == []


@pytest.mark.usefixtures("remote_model")
def test_a_model_that_does_not_fit_is_not_begun(
    download: Download, fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 2**30 + SIZE - 1
    monkeypatch.setattr("shutil.disk_usage", lambda place: Usage(0, 0, free))

    with pytest.raises(NoRoom, match=r"owner/model needs 0\.0 GB and 1\.1 GB to spare"):
        download()

    assert fake_hub.sent.total() == 0


@pytest.mark.usefixtures("remote_model")
def test_only_what_is_missing_needs_room(
    download: Download, fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_hub.fail(SHARD_2, cut_at=150_000)
    with pytest.raises(HubUnreachable):
        download()
    fake_hub.faults.clear()
    monkeypatch.setattr("shutil.disk_usage", lambda place: Usage(0, 0, 2**30 + 50_000))

    download()


class NarrowFile:
    """A file on a disk that takes so many bytes more, and a part of the block after them."""

    def __init__(self, file: IO[bytes], room: int) -> None:
        self._file = file
        self._room = room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> "NarrowFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, block: bytes) -> int:
        written = self._file.write(block[: self._room])
        self._room -= written
        if written < len(block):
            raise OSError(errno.ENOSPC, "No space left on device")
        return written


@pytest.mark.parametrize("before", [False, True], ids=["first", "newer"])
def test_a_disk_that_fills_up_leaves_no_broken_snapshot_and_the_next_run_goes_on(
    before: bool, download: Download, fake_hub: FakeHub, repo: CachedRepo
) -> None:
    fake_hub.add(REPO_ID, model_files())
    old = download() if before else None
    newer = fake_hub.add(REPO_ID, model_files(seed=2))
    true_open = Path.open

    def narrow_open(path: Path, mode: str = "r", **options: Any) -> Any:
        file = true_open(path, mode, **options)
        large = mode == "ab" and path.name.startswith(blob_name(SHARD_2, newer.files[SHARD_2]))
        return NarrowFile(file, 100_001) if large else file

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", narrow_open)
        with pytest.raises(NoRoom, match="the disk is full: free some space, then download owner"):
            download()

    assert list(repo.snapshots.glob("*")) == ([old] if old else [])
    assert list(repo.refs.glob("*")) == ([repo.refs / "main"] if old else [])
    if old:
        assert main_snapshot(repo.folder) == old

    folder = download()

    assert folder == main_snapshot(repo.folder)
    assert (folder / SHARD_2).read_bytes() == newer.files[SHARD_2]
    assert fake_hub.offsets[SHARD_2][-2:] == [0, 100_001]
    assert list(repo.blobs.glob("*.incomplete")) == []


@pytest.mark.usefixtures("remote_model")
def test_a_cache_that_cannot_be_written_is_named_without_its_path(
    download: Download, repo: CachedRepo
) -> None:
    repo.folder.mkdir(parents=True)
    repo.blobs.write_text("a file where a folder should be")

    with pytest.raises(DownloadError) as caught:
        download()

    assert "cannot be written" in str(caught.value)
    assert str(repo.cache_dir) not in str(caught.value)


def test_a_hub_that_does_not_answer_is_unreachable(download: Download, fake_hub: FakeHub) -> None:
    fake_hub.stop()

    with pytest.raises(HubUnreachable, match="the Hub cannot be reached"):
        download()
