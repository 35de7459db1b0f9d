"""The history of the vault: git, as a program of this machine, and nothing but its own answers.

Commands are lists of words, never a shell's text. What the environment, the user's configuration
and hooks would add is switched off, so a vault behaves alike everywhere. The repository is always
named, so that one that a parent folder holds is never taken for it; one that belongs to another
user is never used, since its own settings may name programs. Where git is missing, the vault works
without a history (docs/decisions/0008-git-program.md).
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory.errors import GitBusy, GitFailed
from memory.ownership import has_own_repository

TIMEOUT_SECONDS = 10.0
LOCK_PATIENCE_SECONDS = 3.0
LARGEST_ANSWER = 1_000_000  # bytes that are read of a diff
BRANCH = "main"
NAME, EMAIL = "mlxsite", "mlxsite@localhost"

_CONFIG = {
    "init.defaultBranch": BRANCH,
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.quotePath": "false",
    "core.autocrlf": "false",
    "core.attributesFile": os.devnull,
    "commit.gpgSign": "false",
    "log.showSignature": "false",
    "color.ui": "false",
    "advice.detachedHead": "false",
}
Done = subprocess.CompletedProcess[bytes]
_LOCKED = (".lock", "cannot lock ref", "another git process")


@dataclass(frozen=True, slots=True)
class Revision:
    """hash: of the commit, in full. date: as YYYY-MM-DD."""

    hash: str
    date: str
    subject: str


class Git:
    """The repository of one vault. Any thread; blocks for as long as git takes.

    root: the vault. Paths are relative to it, with slashes.
    """

    def __init__(self, root: Path, *, lock_patience: float = LOCK_PATIENCE_SECONDS) -> None:
        self._root = root
        self._patience = lock_patience

    @property
    def is_repository(self) -> bool:
        """Whether the vault has a history that can be read here; another user's is none."""
        return has_own_repository(self._root) and git_path() is not None

    @property
    def refusal(self) -> str | None:
        """Why a repository that is there is not used, with what helps; else None."""
        if not os.path.lexists(self._root / ".git"):
            return None
        if not has_own_repository(self._root):
            return (
                "the vault or its repository belongs to another user than the server runs as; "
                "give both to that user (chown -R), or run the server as theirs"
            )
        return "git is not installed" if git_path() is None else None

    def init(self) -> bool:
        """Make a repository; False where git is missing. Raises GitFailed."""
        if git_path() is None:
            return False
        # Without naming the repository: it would note the vault's place, and be lost with a move.
        words = ("init", "--quiet", "--template=", ".")
        _require_success(self._call(words), words, self._root)
        return True

    def history(self, path: str, limit: int) -> list[Revision]:
        """Return the commits that changed a file, newest first."""
        done = self._try(
            "log",
            f"--max-count={limit}",
            "--date=format:%Y-%m-%d",
            "--format=%H%x1f%ad%x1f%s",
            "HEAD",
            "--",
            path,
        )
        if done.returncode != 0:  # before the first commit
            return []
        lines = done.stdout.decode(errors="replace").split("\n")
        return [Revision(*line.split("\x1f", 2)) for line in lines if line.count("\x1f") >= 2]

    def diff(self, revision: str, path: str) -> str:
        """Return what a commit changed in a file; empty if nothing, or if there is no such commit.

        revision: a hash, which the caller has checked to be one.
        """
        done = self._try(
            "show",
            "--format=",
            "-m",
            "--first-parent",  # a merge shows what it brought to the branch, as older gits know it
            "--no-ext-diff",
            "--no-textconv",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            f"{revision}^{{commit}}",  # never a blob, which would be shown whatever its path is
            "--",
            path,
        )
        if done.returncode != 0:
            return ""
        text = done.stdout[:LARGEST_ANSWER].decode(errors="replace")
        return text if len(done.stdout) <= LARGEST_ANSWER else f"{text}\n… the rest is left out"

    def changed(self, *paths: str) -> list[str]:
        """Return the files that differ from what was committed, new ones included."""
        done = self._run(
            "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", *paths
        )
        entries = done.stdout.decode(errors="surrogateescape").split("\0")
        return [entry[3:] for entry in entries if entry]

    def commit(self, paths: Sequence[str], subject: str) -> str | None:
        """Commit these files as they are, and nothing else; returns the hash.

        None when they are as they were committed. What else is staged stays so. Raises GitBusy,
        GitFailed.
        """
        changed = self.changed(*paths)
        if not changed:
            return None
        self._patiently("add", "--all", "--", *changed)
        self._patiently(
            "commit", "--quiet", "--no-verify", "--only", f"--message={subject}", "--", *changed
        )
        return self._run("rev-parse", "HEAD").stdout.decode().strip()

    def _patiently(self, *words: str) -> None:
        """Run a command that writes, and wait for another one's lock. Raises GitBusy."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                self._run(*words)
                return
            except GitBusy:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.05)

    def _run(self, *words: str) -> Done:
        done = self._try(*words)
        _require_success(done, words, self._root)
        return done

    def _try(self, *words: str) -> Done:
        if os.path.lexists(self._root / ".git") and not has_own_repository(self._root):
            raise GitFailed("the vault's repository belongs to another user")
        repository = (f"--git-dir={self._root / '.git'}", f"--work-tree={self._root}")
        return self._call((*repository, *words))

    def _call(self, words: Sequence[str]) -> Done:
        program = git_path()
        if program is None:
            raise GitFailed("git is not installed")
        settings = [word for name, value in _CONFIG.items() for word in ("-c", f"{name}={value}")]
        try:
            return subprocess.run(
                [program, "--literal-pathspecs", *settings, *words],
                cwd=self._root,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise GitFailed(f"git took more than {TIMEOUT_SECONDS:g} s") from error
        except OSError as error:
            raise GitFailed(f"git cannot be started ({error.strerror})") from error


def _require_success(done: Done, words: Sequence[str], root: Path) -> None:
    if done.returncode == 0:
        return
    told = done.stderr.decode(errors="replace").strip()
    if any(sign in told.lower() for sign in _LOCKED):
        raise GitBusy(
            "another git process works on the vault; if there is none, delete .git/index.lock"
        )
    first = told.splitlines()[0] if told else "it did not say why"
    raise GitFailed(f"git {words[0]} failed: {first.replace(str(root), 'the vault')}")


def _environment() -> dict[str, str]:
    """What git needs, and nothing that the server's own surroundings say to git."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    who = {"GIT_AUTHOR_NAME": NAME, "GIT_AUTHOR_EMAIL": EMAIL}
    who |= {"GIT_COMMITTER_NAME": NAME, "GIT_COMMITTER_EMAIL": EMAIL}
    return {
        **kept,
        **who,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


@cache
def git_path() -> str | None:
    """Return where git is, or None."""
    found = shutil.which("git")
    if found == "/usr/bin/git" and sys.platform == "darwin":
        # Without Apple's command line tools this one opens a dialog that offers to install them.
        tools = subprocess.run(["/usr/bin/xcode-select", "-p"], capture_output=True, check=False)
        return found if tools.returncode == 0 else None
    return found
