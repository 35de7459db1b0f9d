"""git as the vault uses it: what it answers, and what it must never do."""

import subprocess

import pytest

from memory import git
from memory.errors import GitBusy, GitFailed
from memory.git import Git
from memory.vault import blob_hash


def outside(root, *words):
    """Run git as a person would."""
    identity = ("-c", "user.name=Me", "-c", "user.email=me@localhost")
    done = subprocess.run(["git", *identity, *words], cwd=root, capture_output=True, check=True)
    return done.stdout.decode()


def test_history_lists_the_commits_of_one_file_newest_first(vault, put):
    put("A", "one", subject="First of A")
    put("B", "one", subject="First of B")
    put("A", "two", subject="Second | of A")

    found = vault.git.history("articles/A.md", 10)

    assert [r.subject for r in found] == ["Second | of A", "First of A"]
    assert [len(r.hash) for r in found] == [40, 40]
    assert len(found[0].date) == len("2026-01-31")
    assert len(vault.git.history("articles/A.md", 1)) == 1


def test_a_diff_shows_one_file_of_one_commit(vault, put):
    put("A", "one\n", subject="a")
    (vault.root / "articles" / "B.md").write_text("b")
    put("A", "two\n")
    commit = vault.git.commit(["articles/A.md", "articles/B.md"], "both")

    text = vault.git.diff(commit[:8], "articles/A.md")

    assert text.startswith("diff --git a/articles/A.md b/articles/A.md\n")
    assert "-one\n+two\n" in text and "B.md" not in text


def test_a_merge_shows_what_it_brought(vault, put):
    put("A", "one\n", subject="a")
    outside(vault.root, "checkout", "-q", "-b", "side")
    put("A", "side\n", subject="on the side")
    outside(vault.root, "checkout", "-q", "main")
    put("B", "b\n", subject="b")
    outside(vault.root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = outside(vault.root, "rev-parse", "HEAD").strip()

    text = vault.git.diff(merge, "articles/A.md")

    assert text.count("diff --git") == 1
    assert "-one\n+side\n" in text


def test_a_diff_of_anything_but_a_commit_is_empty(vault, put):
    put("A", "secret\n", subject="a")
    blob = blob_hash(b"secret\n")

    assert vault.git.diff(blob, "articles/A.md") == ""
    assert vault.git.diff("0" * 40, "articles/A.md") == ""


def test_a_commit_takes_its_files_alone_and_leaves_what_is_staged(vault, put):
    put("A", "a")
    put("B", "b")
    outside(vault.root, "add", "articles/B.md")

    vault.git.commit(["articles/A.md"], "only A")

    assert vault.git.changed("articles") == ["articles/B.md"]
    assert outside(vault.root, "diff", "--cached", "--name-only").split() == ["articles/B.md"]
    assert vault.git.commit(["articles/A.md"], "again") is None


def test_a_deleted_file_is_committed_as_one(vault, put):
    put("A", "a", subject="a")
    (vault.root / "articles" / "A.md").unlink()

    assert vault.git.commit(["articles/A.md"], "A is gone")
    assert vault.git.changed(".") == []


@pytest.mark.parametrize("stem", ["--output=x", "*", ":(top)A", "Zürich 東京", 'quote"d', "a'b"])
def test_names_of_any_kind_are_only_names(vault, put, stem):
    """Public case se-05."""
    put("A", "a", subject="a")

    commit = put(stem, "x\n", subject="$(touch x); `touch x`")

    path = f"articles/{stem}.md"
    assert [r.subject for r in vault.git.history(path, 5)] == ["$(touch x); `touch x`"]
    assert "+x" in vault.git.diff(commit, path)
    assert not list(vault.root.rglob("x"))


def test_the_hash_of_a_file_is_the_one_that_git_gives_it(vault, put):
    put("A", "text", subject="a")

    committed = outside(vault.root, "rev-parse", "HEAD:articles/A.md").strip()
    assert committed == blob_hash(b"text") == vault.read("A").blob_hash


def test_neither_hooks_nor_the_configuration_of_a_vault_run_a_program(vault, put):
    for hook in ("pre-commit", "post-commit", "prepare-commit-msg", "reference-transaction"):
        path = vault.root / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\ntouch ran\n")
        path.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "core.pager", "gpg.program"):
        outside(vault.root, "config", key, "touch ran")
    outside(vault.root, "config", "commit.gpgSign", "true")

    commit = put("A", "a", subject="a")
    vault.git.diff(commit, "articles/A.md")

    assert not (vault.root / "ran").exists()


def test_the_environment_decides_nothing(vault, put, monkeypatch, tmp_path):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Someone")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "touch ran")

    put("A", "a", subject="a")

    assert outside_author(vault.root) == "mlxsite <mlxsite@localhost>"


def outside_author(root):
    done = subprocess.run(
        ["git", "--git-dir=.git", "log", "-1", "--format=%an <%ae>"],
        cwd=root,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def test_a_repository_of_a_parent_folder_is_not_the_vaults(tmp_path):
    outside(tmp_path, "init", "-q")
    (tmp_path / "wiki").mkdir()
    inner = Git(tmp_path / "wiki")

    assert not inner.is_repository
    assert inner.history("a.md", 5) == []
    with pytest.raises(GitFailed, match="not a git repository"):
        inner.commit(["a.md"], "a")


def test_a_held_lock_is_waited_for_and_then_named(vault, put):
    lock = vault.root / ".git" / "index.lock"
    lock.touch()
    put("A", "kept")

    with pytest.raises(GitBusy, match=r"delete \.git/index\.lock"):
        Git(vault.root, lock_patience=0.1).commit(["articles/A.md"], "a")

    assert vault.read("A").text == "kept"
    lock.unlink()
    assert vault.git.commit(["articles/A.md"], "a")


def test_reading_needs_no_lock(vault, put):
    commit = put("A", "a", subject="a")
    (vault.root / ".git" / "index.lock").touch()

    assert vault.git.history("articles/A.md", 5)[0].hash == commit
    assert vault.git.diff(commit, "articles/A.md")


def test_a_broken_repository_is_an_error_and_has_no_history(vault):
    (vault.root / ".git" / "HEAD").write_text("nonsense")

    assert vault.git.history("README.md", 5) == []
    with pytest.raises(GitFailed) as caught:
        vault.git.commit(["README.md"], "a")
    assert str(vault.root) not in str(caught.value)


def test_a_git_that_hangs_is_given_up(vault, monkeypatch, tmp_path):
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(git, "git_path", lambda: str(slow))
    monkeypatch.setattr(git, "TIMEOUT_SECONDS", 0.2)

    with pytest.raises(GitFailed, match=r"more than 0\.2 s"):
        vault.git.changed(".")


def test_without_git_there_is_no_history(vault, no_git):
    assert not vault.git.is_repository
    with pytest.raises(GitFailed, match="not installed"):
        vault.git.commit(["README.md"], "a")
