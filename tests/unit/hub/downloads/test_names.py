import pytest

from hub.downloads.errors import InvalidName
from hub.downloads.names import check_repo_id, check_revision, is_safe_path


@pytest.mark.parametrize("repo_id", ["a/b", "mlx-community/Qwen3-0.6B-4bit", "o_1/n.2", "1/2"])
def test_owner_and_name_are_a_repo_id(repo_id: str) -> None:
    assert check_repo_id(repo_id) == repo_id


@pytest.mark.parametrize(
    "repo_id",
    [
        "",
        "name",
        "a/b/c",
        "../b",
        "a/..",
        "a/b--c",
        "a--b/c",
        "a/.b",
        "a/b-",
        "/a/b",
        "a/b\n",
        "a/b c",
        "a/é",
        "a/" + "b" * 95,
        "a\\b/c",
        "a/b\0",
    ],
)
def test_anything_else_is_refused(repo_id: str) -> None:
    with pytest.raises(InvalidName, match="write 'owner/name'"):
        check_repo_id(repo_id)


@pytest.mark.parametrize("revision", ["main", "v1.0", "refs/pr/1", "a" * 40, "user/branch_2"])
def test_branches_tags_and_commits_are_revisions(revision: str) -> None:
    assert check_revision(revision) == revision


@pytest.mark.parametrize("revision", ["", "..", "a/../b", "/etc", "a//b", "a/", "a b", "x" * 201])
def test_a_revision_that_is_no_safe_path_is_refused(revision: str) -> None:
    with pytest.raises(InvalidName):
        check_revision(revision)


@pytest.mark.parametrize("path", ["config.json", "1_Pooling/config.json", "a/.b/c d.json"])
def test_files_below_the_folder_are_safe(path: str) -> None:
    assert is_safe_path(path)


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/../b", "a//b", "a/.", "a\\..\\b", "a\0"])
def test_files_that_could_be_elsewhere_are_not(path: str) -> None:
    assert not is_safe_path(path)
