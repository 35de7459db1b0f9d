"""Writes articles: whole or not at all, and never over what somebody else wrote meanwhile.

Only synthesis calls this. A write goes to the file; committing it is a step of its own, so that a
busy git loses nothing.
"""

import unicodedata
from contextlib import suppress
from pathlib import Path

from memory.errors import (
    ArticleNotFound,
    ChangedMeanwhile,
    InvalidStem,
    NotWritten,
)
from memory.lock import writing
from memory.placing import draft_of, place_new, place_over
from memory.vault import ARTICLES, SUFFIX, TALK, Vault, blob_hash

LONGEST_STEM = 200  # bytes; file names may have 255
MOST_TRIES = 5  # at a page that somebody else writes to
_FORBIDDEN = frozenset('/\\:*?"<>|[]#^')


def write_article(vault: Vault, stem: str, text: str, *, expected: str | None) -> str:
    """Write an article; returns its new blob hash.

    expected: the blob hash of the text that the new one was made from; None if there was no such
    article. Raises ChangedMeanwhile if that is no longer so, InvalidStem, NotListed, NotWritten.
    """
    require_stem(stem)
    data = text.encode()
    with writing(vault.root):
        _require_inside(vault, ARTICLES)
        path = _path_of(vault, stem, expected)
        try:
            _place(path, data, expected)
        except OSError as error:
            raise NotWritten(f"{stem} cannot be written: {error.strerror}") from error
    return blob_hash(data)


def add_note(vault: Vault, stem: str, line: str) -> None:
    """Add a line to the talk page of an article, and make it if there is none.

    Raises InvalidStem, NotWritten.
    """
    require_stem(stem)
    path = vault.root / TALK / f"{stem}{SUFFIX}"
    with writing(vault.root):
        _require_inside(vault, TALK)
        try:
            path.parent.mkdir(exist_ok=True)  # a person may have tidied it away
            _add_line(path, f"# Talk: {stem}\n\n", f"- {' '.join(line.split())}\n")
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


def _require_inside(vault: Vault, folder: str) -> None:
    if vault.leads_out(folder):
        raise NotWritten(f"{folder}/ leads out of the vault, and is not written to")


def _add_line(path: Path, head: str, line: str) -> None:
    for _ in range(MOST_TRIES):
        if path.is_symlink():
            raise NotWritten(f"the talk page of {path.stem} is a link, not written through")
        known = path.read_bytes() if path.exists() else None
        before = head.encode() if known is None else known
        gap = b"" if before.endswith(b"\n") else b"\n"
        with suppress(ChangedMeanwhile):
            expected = None if known is None else blob_hash(known)
            _place(path, before + gap + line.encode(), expected)
            return
    raise NotWritten(f"the talk page of {path.stem} changes all the time")


def _place(path: Path, data: bytes, expected: str | None) -> None:
    with draft_of(path, data) as draft:
        if expected is None:
            place_new(draft, path)
        else:
            place_over(draft, path, expected)
