"""Uploads to a Hub on loopback, over real HTTP, and every way in which it says no."""

import logging
import threading
from pathlib import Path

import pytest

from hub.downloads.errors import InvalidName
from hub.uploads.errors import NoSource, NoToken, RefusedUpload, UnsafeSource, UploadError
from hub.uploads.upload import RepoKind, Uploader
from tests.plugins.fake_hub import FakeHub
from tests.plugins.fake_hub_uploads import READ_TOKEN, WRITE_TOKEN
from tests.unit.hub.uploads.conftest import WEIGHTS

# The library hands files over in a way that its own HTTP client has grown tired of.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")
MODEL, DATASET = RepoKind.MODEL, RepoKind.DATASET


@pytest.fixture
def uploader(fake_hub: FakeHub) -> Uploader:
    return Uploader(fake_hub.url, WRITE_TOKEN)


class Watched:
    def __init__(self) -> None:
        self.plan: tuple[int, int] | None = None
        self.total = 0
        self._lock = threading.Lock()

    def planned(self, *, files: int, size: int) -> None:
        self.plan = (files, size)

    def sent(self, size: int) -> None:
        with self._lock:
            self.total += size


def test_a_folder_becomes_a_repo_with_all_of_its_files(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    url = uploader.upload(folder, "org/name", MODEL)

    assert url == f"{fake_hub.url}/org/name"
    assert fake_hub.repos["org/name"].files == {
        "README.md": b"---\nlicense: mit\n---\n# A model\n",
        "config.json": b"{}",
        "model.safetensors": WEIGHTS,
        "sub/notes.txt": b"notes",
    }
    assert not fake_hub.repos["org/name"].private


def test_a_dataset_and_a_model_of_one_name_are_two_repos(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    (folder / "model.safetensors").unlink()

    url = uploader.upload(folder, "org/name", DATASET)

    assert url == f"{fake_hub.url}/datasets/org/name"
    assert list(fake_hub.repos) == ["datasets/org/name"]


def test_links_of_a_snapshot_arrive_as_files(
    fake_hub: FakeHub, uploader: Uploader, tmp_path: Path
) -> None:
    repo = tmp_path / "models--a--b"
    (repo / "blobs").mkdir(parents=True)
    (repo / "blobs" / "abc").write_bytes(b"content")
    (repo / "snapshots" / "123").mkdir(parents=True)
    (repo / "snapshots" / "123" / "config.json").symlink_to("../../blobs/abc")

    uploader.upload(repo / "snapshots" / "123", "org/name", MODEL)

    assert fake_hub.repos["org/name"].files == {"config.json": b"content"}


def test_a_very_large_file_goes_in_parts(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    fake_hub.part_bytes = 100_000

    uploader.upload(folder, "org/name", MODEL)

    puts = [request for request in fake_hub.requests if request.startswith("PUT")]
    assert sorted(request[-2:] for request in puts) == ["/1", "/2", "/3", "/4"]
    assert fake_hub.repos["org/name"].files["model.safetensors"] == WEIGHTS


def test_progress_counts_each_byte_once(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    watched = Watched()
    fake_hub.fail("put", status=500, times=2)

    uploader.upload(folder, "org/name", MODEL, progress=watched)

    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert watched.plan == (4, size)
    assert watched.total == size


def test_what_the_hub_has_is_not_sent_again(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    uploader.upload(folder, "org/name", MODEL)
    fake_hub.requests.clear()

    (folder / "config.json").write_text('{"new": true}')
    uploader.upload(folder, "org/name", MODEL)

    assert not [request for request in fake_hub.requests if request.startswith("PUT")]
    assert fake_hub.repos["org/name"].files["config.json"] == b'{"new": true}'


def test_a_private_repo_is_private(fake_hub: FakeHub, uploader: Uploader, folder: Path) -> None:
    uploader.upload(folder, "org/name", MODEL, private=True)
    uploader.upload(folder, "org/name", MODEL, private=True)

    assert fake_hub.repos["org/name"].private


def test_what_is_to_be_private_does_not_go_to_a_public_repo(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    fake_hub.add("org/name", {})

    with pytest.raises(RefusedUpload, match="org/name exists and is public"):
        uploader.upload(folder, "org/name", MODEL, private=True)

    assert fake_hub.repos["org/name"].files == {}


@pytest.mark.parametrize("token", [None, ""])
def test_without_a_token_nothing_is_asked(
    fake_hub: FakeHub, folder: Path, token: str | None
) -> None:
    with pytest.raises(NoToken, match="no Hugging Face token is saved"):
        Uploader(fake_hub.url, token).upload(folder, "org/name", MODEL)

    assert fake_hub.requests == []


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("hf_unknown", r"does not know this token \(401: Invalid username or password"),
        (READ_TOKEN, r"may not write org/name \(403: you must use a write token\)"),
    ],
)
def test_a_token_that_may_not_write_is_told(
    fake_hub: FakeHub, folder: Path, token: str, words: str
) -> None:
    with pytest.raises(RefusedUpload, match=words):
        Uploader(fake_hub.url, token).upload(folder, "org/name", MODEL)


SAID = {
    403: "may not write org/name",
    404: "the Hub answered 404",
    409: "changed meanwhile",
    500: "answered 500.*try again later",
}
STEPS = ("create", "preupload", "batch", "put", "commit")


@pytest.mark.parametrize(
    ("step", "status"),
    # To create a repo and be told 409 means that there is one.
    [(step, status) for step in STEPS for status in SAID if (step, status) != ("create", 409)],
)
def test_every_step_that_fails_is_told_with_the_hubs_reason(
    fake_hub: FakeHub, uploader: Uploader, folder: Path, step: str, status: int
) -> None:
    fake_hub.fail(step, status=status)

    with pytest.raises(RefusedUpload, match=SAID[status]) as raised:
        uploader.upload(folder, "org/name", MODEL)

    assert "as the test wants it" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert not any(repo.files for repo in fake_hub.repos.values())


@pytest.mark.parametrize("cut_at", [0, 1, 200_000])
def test_a_connection_that_is_cut_once_is_made_again(
    fake_hub: FakeHub, uploader: Uploader, folder: Path, cut_at: int
) -> None:
    fake_hub.fail("put", cut_at=cut_at, times=1)

    uploader.upload(folder, "org/name", MODEL)

    assert fake_hub.repos["org/name"].files["model.safetensors"] == WEIGHTS


def test_a_connection_that_is_always_cut_is_told_and_shows_nothing(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    fake_hub.fail("put", cut_at=1000)

    with pytest.raises(RefusedUpload, match="the Hub cannot be reached"):
        uploader.upload(folder, "org/name", MODEL)

    assert fake_hub.repos["org/name"].files == {}


def test_a_hub_that_does_not_answer_is_told(fake_hub: FakeHub, folder: Path) -> None:
    with pytest.raises(RefusedUpload, match="the Hub cannot be reached"):
        Uploader("http://127.0.0.1:9", WRITE_TOKEN).upload(folder, "org/name", MODEL)


def test_metadata_that_the_hub_refuses_is_told_before_weights_are_sent(
    fake_hub: FakeHub, uploader: Uploader, folder: Path
) -> None:
    (folder / "README.md").write_text("---\nlicense: none-of-the-list\n---\n")

    with pytest.raises(RefusedUpload, match='"license" must be one of the list'):
        uploader.upload(folder, "org/name", MODEL)

    assert fake_hub.blobs == {}


@pytest.mark.parametrize("repo_id", ["name", "a/b/c", "../name", "org/..", "o rg/name", "org/a--b"])
def test_a_name_that_is_no_repo_id_is_refused(
    fake_hub: FakeHub, uploader: Uploader, folder: Path, repo_id: str
) -> None:
    with pytest.raises(InvalidName):
        uploader.upload(folder, repo_id, MODEL)

    assert fake_hub.requests == []


def test_a_folder_that_leads_elsewhere_is_refused_before_anything_is_sent(
    fake_hub: FakeHub, uploader: Uploader, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("x")
    (folder / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(UnsafeSource):
        uploader.upload(folder, "org/name", MODEL)
    with pytest.raises(NoSource):
        uploader.upload(tmp_path / "gone", "org/name", MODEL)

    assert fake_hub.requests == []


def test_a_folder_with_the_token_itself_is_refused(fake_hub: FakeHub, folder: Path) -> None:
    (folder / "hf.json").write_text('{"token": "hf_right"}')
    uploader = Uploader(fake_hub.url, WRITE_TOKEN, secrets=[folder / "hf.json"])

    with pytest.raises(UnsafeSource, match=r"hf\.json holds a secret of this machine"):
        uploader.upload(folder, "org/name", MODEL)


def test_the_token_goes_to_the_hub_alone_and_into_no_log_and_no_text(
    fake_hub: FakeHub, uploader: Uploader, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fake_hub.fail("put", status=500, times=2)
    uploader.upload(folder, "org/name", MODEL)
    fake_hub.fail("commit", status=500)
    (folder / "config.json").write_text("[]")
    with pytest.raises(UploadError) as raised:
        uploader.upload(folder, "org/name", MODEL)

    tokens = {host: set() for host, _ in fake_hub.seen_tokens}
    for host, token in fake_hub.seen_tokens:
        tokens[host].add(token)
    assert tokens == {"127.0.0.1": {f"Bearer {WRITE_TOKEN}"}, "localhost": {""}}
    assert WRITE_TOKEN not in caplog.text
    assert WRITE_TOKEN not in f"{raised.value!r}{uploader!r}"
    assert raised.value.__cause__ is None
