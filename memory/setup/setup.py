"""Makes a vault: folders, the pages it begins with, a repository and its first commit."""

import logging
import os
from dataclasses import dataclass
from pathlib import Path

from memory.errors import ForeignVault, GitFailed, NotWritten
from memory.lock import writing
from memory.ownership import has_own_repository, is_own
from memory.reference import write_mirrors
from memory.setup.renewal import page_bytes, renew
from memory.vault import ARTICLES, META, REFERENCE, TALK, Vault

logger = logging.getLogger(__name__)

FIRST_COMMIT = "Begin the memory"
LATER_COMMIT = "Add what the memory lacked"
RENEWAL = "Bring pages that nobody edited up to date"
_FOLDERS = (ARTICLES, REFERENCE, META, TALK)
_FILES = {"README.md": "README.md", ".gitignore": "gitignore.txt"}
META_PAGES = (
    *("Editorial_Guidelines", "Bucketing", "Article_Conventions", "Infobox_Schemas"),
    *("Category_Definitions", "Entities", "Summary_Style", "Buckets", "Chunking"),
    "Topics_to_Ignore",
)
PAGES = _FILES | {f"{META}/{stem}.md": f"{stem}.md" for stem in META_PAGES}
"""What each page of a vault is made from, by its path."""


@dataclass(frozen=True, slots=True)
class SetupResult:
    """created: files and folders that were not there, relative to the root, folders with a slash.

    git_initialized: whether this call made the repository. renewed: files that were as an earlier
    version had made them, and are as this one makes them.
    """

    root: Path
    created: list[str]
    git_initialized: bool
    renewed: list[str]

    @property
    def already_set_up(self) -> bool:
        return not self.created and not self.git_initialized


def set_up(vault: Vault) -> SetupResult:
    """Make what is missing; what the user has made or edited stays as it is.

    Raises ForeignVault, NotWritten. A git that refuses costs the history, not the vault.
    """
    try:
        vault.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        _require_own(vault)
        with writing(vault.root):
            created = [*_make_folders(vault.root), *_write_pages(vault.root)]
            mirrors = write_mirrors(vault.root / REFERENCE, vault.docs_root)
            initialized = _commit(vault, created)
    except OSError as error:
        raise NotWritten(f"the vault cannot be written: {error.strerror}") from error
    created += [f"{REFERENCE}/{name}" for name in mirrors]
    return SetupResult(vault.root, created, initialized, renew_pages(vault))


def renew_pages(vault: Vault) -> list[str]:
    """Bring pages up to date that nobody has edited; returns their paths. Raises NotWritten."""
    if vault.leads_out(META):
        return []
    try:
        with writing(vault.root):
            renewed = renew(vault.root, PAGES)
    except OSError as error:
        raise NotWritten(f"the vault cannot be written: {error.strerror}") from error
    try:
        if renewed and vault.git.is_repository:
            vault.git.commit(renewed, RENEWAL)
    except GitFailed as error:
        logger.warning("pages were brought up to date, and not committed: %s", error)
    return renewed


def _require_own(vault: Vault) -> None:
    """Raises ForeignVault, NotWritten."""
    root = vault.root
    if not is_own(root) or (os.path.lexists(root / ".git") and not has_own_repository(root)):
        raise ForeignVault
    for folder in _FOLDERS:
        if vault.leads_out(folder):
            raise NotWritten(f"{folder}/ leads out of the vault, and is not written to")


def _commit(vault: Vault, created: list[str]) -> bool:
    """Commit what was made; returns whether the repository was made for that."""
    had_repository = (vault.root / ".git").exists()
    try:
        if had_repository:
            # Only what was made just now: whatever else waits there is the user's to commit.
            files = [path for path in created if not path.endswith("/")]
            if files and vault.git.is_repository:
                vault.git.commit(files, LATER_COMMIT)
        elif vault.git.init():
            # Not whatever else a folder held before it became a vault.
            own = (*_FOLDERS, *_FILES)
            vault.git.commit(own, FIRST_COMMIT)
    except GitFailed as error:
        logger.warning("the vault was made, and not committed: %s", error)
    return not had_repository and (vault.root / ".git").exists()


def _make_folders(root: Path) -> list[str]:
    made = [name for name in _FOLDERS if not (root / name).is_dir()]
    for name in made:
        (root / name).mkdir()
    return [f"{name}/" for name in made]


def _write_pages(root: Path) -> list[str]:
    made: list[str] = []
    for path, source in PAGES.items():
        try:
            with (root / path).open("xb") as file:
                file.write(page_bytes(source))
        except FileExistsError:
            continue
        made.append(path)
    return made
