"""Whose a folder is. Settings of a repository name programs that git runs, so only those of this
process's own user are obeyed; git looks as well, but not when it is told where the repository is.
"""

import os
from pathlib import Path

_POINTER = "gitdir:"


def is_own(path: Path) -> bool:
    """Whether a file is this user's, and what it leads to as well, if it is a link."""
    user = os.geteuid()
    try:
        return os.lstat(path).st_uid == user == path.stat().st_uid
    except OSError:
        return False


def has_own_repository(root: Path) -> bool:
    """Whether a folder, its repository, and one that it only points at are all this user's."""
    repository = root / ".git"
    if not (is_own(root) and is_own(repository)):
        return False
    if repository.is_dir():
        return True
    try:
        told = repository.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return False
    return told.startswith(_POINTER) and is_own(root / told.removeprefix(_POINTER).strip())
