import pytest

from hub.cached_repo import CachedRepo
from hub.config import HubConfig

COMMIT = "c" * 40


@pytest.fixture
def repo(config: HubConfig) -> CachedRepo:
    repo = CachedRepo.of(config, "owner/name")
    repo.blobs.mkdir(parents=True)
    repo.blob("abc").write_text("content")
    return repo


def test_the_folder_is_named_as_huggingface_hub_names_it(config: HubConfig) -> None:
    repo = CachedRepo.of(config, "owner/name")

    assert repo.folder == config.hf_cache_dir / "models--owner--name"
    assert repo.partial("abc") == repo.folder / "blobs" / "abc.incomplete"


@pytest.mark.parametrize("file", ["config.json", "1_Pooling/deeper/config.json"])
def test_a_link_leads_from_a_snapshot_to_a_blob(file: str, repo: CachedRepo) -> None:
    repo.link(COMMIT, file, "abc")

    place = repo.snapshots / COMMIT / file
    assert place.read_text() == "content"
    assert not place.readlink().is_absolute()


def test_a_link_that_is_right_stays_and_a_wrong_one_is_replaced(repo: CachedRepo) -> None:
    repo.blob("def").write_text("newer")
    place = repo.snapshots / COMMIT / "config.json"

    repo.link(COMMIT, "config.json", "abc")
    before = place.lstat().st_ino
    repo.link(COMMIT, "config.json", "abc")
    assert place.lstat().st_ino == before

    repo.link(COMMIT, "config.json", "def")
    assert place.read_text() == "newer"


def test_a_plain_file_where_a_link_belongs_is_replaced(repo: CachedRepo) -> None:
    place = repo.snapshots / COMMIT / "config.json"
    place.parent.mkdir(parents=True)
    place.write_text("copied by somebody")

    repo.link(COMMIT, "config.json", "abc")

    assert place.read_text() == "content"


@pytest.mark.parametrize("revision", ["main", "refs/pr/1"])
def test_a_ref_is_written_and_written_over(revision: str, repo: CachedRepo) -> None:
    repo.write_ref(revision, "d" * 40)
    repo.write_ref(revision, COMMIT)

    assert (repo.refs / revision).read_text() == COMMIT


def test_nothing_is_left_beside_links_and_refs(repo: CachedRepo) -> None:
    repo.link(COMMIT, "config.json", "abc")
    repo.write_ref("main", COMMIT)

    assert {place.name for place in repo.folder.iterdir()} == {"blobs", "refs", "snapshots"}
