"""Writes articles: whole or not at all, and never over what somebody else wrote meanwhile.

Only synthesis calls this. A write goes to the file; committing it is a step of its own, so that a
busy git loses nothing.
"""

import os
import tempfile
import unicodedata
from pathlib import Path

from memory.errors import (
    ArticleNotFound,
    ChangedMeanwhile,
    InvalidStem,
    NotWritten,
)
from memory.lock import writing
from memory.vault import ARTICLES, SUFFIX, TALK, Vault, blob_hash

LONGEST_STEM = 200  # bytes; file names may have 255
_FORBIDDEN = frozenset('/\\:*?"<>|[]#^')


def write_article(vault: Vault, stem: str, text: str, *, expected: str | None) -> str:
    """Write an article; returns its new blob hash.

    expected: the blob hash of the text that the new one was made from; None if there was no such
    article. Raises ChangedMeanwhile if that is no longer so, InvalidStem, NotWritten.
    """
    require_stem(stem)
    data = text.encode()
    with writing(vault.root):
        path = _path_of(vault, stem, expected)
        try:
            _replace(path, data)
        except OSError as error:
            raise NotWritten(f"{stem} cannot be written: {error.strerror}") from error
    return blob_hash(data)


def add_note(vault: Vault, stem: str, line: str) -> None:
    """Add a line to the talk page of an article, and make it if there is none."""
    require_stem(stem)
    path = vault.root / TALK / f"{stem}{SUFFIX}"
    with writing(vault.root):
        if path.is_symlink():
            raise NotWritten(f"the talk page of {stem} is a link, which is not written through")
        try:
            before = path.read_bytes() if path.exists() else f"# Talk: {stem}\n\n".encode()
            gap = b"" if before.endswith(b"\n") else b"\n"
            _replace(path, before + gap + f"- {' '.join(line.split())}\n".encode())
        except OSError as error:
            raise NotWritten(f"the talk page of {stem}: {error.strerror}") from error


def require_stem(stem: str) -> None:
    """Raise InvalidStem unless an article may be named so, on any disk and in any link."""
    if not stem or stem != unicodedata.normalize("NFC", "_".join(stem.split())):
        raise InvalidStem("an article's name has underscores for spaces, and composed accents")
    if stem.startswith((".", "-")) or stem.endswith("."):
        raise InvalidStem("an article's name begins with no dot or hyphen, and ends with no dot")
    if any(c in _FORBIDDEN or unicodedata.category(c)[0] == "C" for c in stem):
        raise InvalidStem(f"an article's name has none of {' '.join(sorted(_FORBIDDEN))}")
    if len(stem.encode()) > LONGEST_STEM:
        raise InvalidStem(
            f"an article's name has at most {LONGEST_STEM} bytes, not {len(stem.encode())}"
        )


def _path_of(vault: Vault, stem: str, expected: str | None) -> Path:
    """Return the file to write, if what is there is what the caller knows."""
    try:
        file = vault.find(stem)
    except ArticleNotFound:
        file = None
    if file is None:
        if expected is not None:
            raise ChangedMeanwhile(f"{stem} has been deleted since it was read")
        folded = stem.casefold()
        twin = next((f.name for f in vault.articles() if f.name.casefold() == folded), None)
        if twin is not None:  # the same file on a disk that knows no letter case
            raise InvalidStem(f"there is an article {twin}, which differs in letter case alone")
        return vault.root / ARTICLES / f"{stem}{SUFFIX}"
    if expected is None:
        raise ChangedMeanwhile(f"{stem} has been written since it was looked for")
    if file.path.is_symlink():
        raise NotWritten(f"{stem} is a link, which is not written through")
    if blob_hash(file.path.read_bytes()) != expected:
        raise ChangedMeanwhile(f"{stem} has been edited since it was read")
    return file.path


def _replace(path: Path, data: bytes) -> None:
    """Replace a file in one step, on the disk, and keep its mode."""
    descriptor, name = tempfile.mkstemp(
        prefix=f".{path.stem[:40]}.", suffix=".tmp", dir=path.parent
    )
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
