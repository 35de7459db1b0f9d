"""The vault: a folder of Markdown files, which are the truth of the memory.

```
articles/   what the memory knows, one file an article; synthesis alone writes here
Reference/  our own documentation, as links to it; read only
Meta/       pages that say how articles are written; the user edits them
Talk/       notes about articles
```

Files are found by listing a folder, never by opening a path made of a name: so no name leads out
of the vault, and `alpha` is not `Alpha` on a disk that takes them for the same.
"""

import hashlib
import logging
import os
import stat
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memory.config import VaultConfig
from memory.errors import ArticleNotFound, NotListed
from memory.git import Git
from memory.reference import mirrored_files, real_path

logger = logging.getLogger(__name__)

ARTICLES, REFERENCE, META, TALK = "articles", "Reference", "Meta", "Talk"
REFERENCE_PREFIX = f"{REFERENCE}/"
SUFFIX = ".md"
LARGEST_PAGE = 2_000_000  # bytes that are read of a file


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the vault, as a listing shows it.

    name: what callers say: the stem, for a page of reference with `Reference/` before it.
    modified_ns, size: as long as both stay, so does the text.
    """

    name: str
    path: Path
    modified_ns: int
    size: int

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix(SUFFIX)


@dataclass(frozen=True, slots=True)
class Page:
    """What a file holds.

    blob_hash: of its bytes, as git names them. is_whole: the text is all of it, unchanged; not
    so for a file that is too large or that is not UTF-8, which must not be written again.
    """

    name: str
    text: str
    blob_hash: str
    is_whole: bool


class Vault:
    """Reads the vault. Any thread; blocks for as long as the disk takes."""

    def __init__(self, config: VaultConfig) -> None:
        self.root = config.root
        self.docs_root = config.docs_root
        self.git = Git(config.root)
        self._is_reference_missed = False

    @property
    def exists(self) -> bool:
        return os.path.isdir(self.root / ARTICLES)  # noqa: PTH112 - false where it may not look

    def articles(self) -> list[PageFile]:
        """Return the articles, by name. Raises NotListed."""
        return self._list(ARTICLES, "")

    def reference(self) -> list[PageFile]:
        """Return the pages of reference, by name.

        Articles do without them: a folder that cannot be listed has none, and the log says so.
        """
        return self._list(REFERENCE, REFERENCE_PREFIX)

    def find(self, name: str) -> PageFile:
        """Return the file of an article or a page of reference.

        Raises ArticleNotFound, NotListed.
        Spaces stand for underscores, and accents may be composed in either way.
        """
        folder, prefix = ARTICLES, ""
        if name.startswith(REFERENCE_PREFIX):
            folder, prefix = REFERENCE, REFERENCE_PREFIX
        names = {prefix + _stem(entry): entry for entry in self._entries(folder)}
        if name in names and (exact := self._page(names[name], folder, prefix)):
            return exact
        wanted = _spelling(name)
        alike = [entry for known, entry in names.items() if _spelling(known) == wanted]
        found = [page for entry in alike if (page := self._page(entry, folder, prefix))]
        if len(found) != 1:
            raise ArticleNotFound
        return found[0]

    def read(self, name: str) -> Page:
        """Find a page and read it. Raises ArticleNotFound, NotListed."""
        return read_page(self.find(name))

    def meta(self, stem: str) -> str:
        """Return a page of policy; empty if the user has removed it.

        Raises NotListed: topics to ignore that cannot be read are not taken for none.
        """
        entries = (entry for entry in self._entries(META) if _stem(entry) == stem)
        file = next((self._page(entry, META, "") for entry in entries), None)
        return read_page(file).text if file else ""

    def git_path_of(self, file: PageFile) -> str:
        """Return the path of a file as git knows it."""
        return file.path.relative_to(self.root).as_posix()

    def leads_out(self, folder: str) -> bool:
        """Whether a folder is a link to somewhere else, so that it is no part of the vault."""
        return not _is_within(self.root / folder, self._real_root)

    def _list(self, folder: str, prefix: str) -> list[PageFile]:
        """Return the pages of a folder, by name. Raises NotListed."""
        pages = (self._page(entry, folder, prefix) for entry in self._entries(folder))
        return sorted(filter(None, pages), key=lambda file: file.name)

    def _entries(self, folder: str) -> "list[os.DirEntry[str]]":
        """Return what may be pages by its name, which takes no look at each. Raises NotListed."""
        try:
            found = self._scan(folder)
        except NotListed as error:
            if folder != REFERENCE:
                raise
            if not self._is_reference_missed:
                logger.warning("the memory goes without its pages of reference: %s", error)
            self._is_reference_missed = True
            return []
        if folder == REFERENCE:
            self._is_reference_missed = False
        return found

    def _scan(self, folder: str) -> "list[os.DirEntry[str]]":
        """A folder that is there and cannot be listed is not an empty one. Raises NotListed."""
        if self.leads_out(folder):
            raise NotListed(f"{folder}/ leads out of the vault")
        try:
            with os.scandir(self.root / folder) as entries:
                return [entry for entry in entries if _is_page_name(entry.name)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise NotListed(f"{folder}/ cannot be read: {error.strerror}") from error

    def _page(self, entry: "os.DirEntry[str]", folder: str, prefix: str) -> PageFile | None:
        """Look at an entry; None if it is no page, or has gone."""
        path = Path(entry.path)
        try:
            if entry.is_symlink() and not self._may_lead_to(path, folder):
                return None
            status = entry.stat()
        except OSError:  # it has gone, or its target has
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return PageFile(prefix + _stem(entry), path, status.st_mtime_ns, status.st_size)

    def _may_lead_to(self, link: Path, folder: str) -> bool:
        if _is_within(link, self._real_root):
            return True
        return folder == REFERENCE and real_path(link) in mirrored_files(self.docs_root)

    @cached_property
    def _real_root(self) -> Path:
        return real_path(self.root)


def read_page(file: PageFile) -> Page:
    """Read a file of a listing. Raises ArticleNotFound when it has gone or cannot be read."""
    try:
        with file.path.open("rb") as opened:
            data = opened.read(LARGEST_PAGE + 1)
    except OSError as error:
        raise ArticleNotFound from error
    is_whole = len(data) <= LARGEST_PAGE
    data = data[:LARGEST_PAGE]
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text, is_whole = data.decode(errors="replace"), False
    return Page(file.name, text, blob_hash(data), is_whole)


def blob_hash(data: bytes) -> str:
    """Return the name that git has for a file of these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _stem(entry: "os.DirEntry[str]") -> str:
    return entry.name.removesuffix(SUFFIX)


def _is_page_name(name: str) -> bool:
    """Whether a file's name is one that callers can say: `Stem.md`, not hidden, in Unicode."""
    if not name.endswith(SUFFIX) or name.startswith(".") or name == SUFFIX:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _spelling(name: str) -> str:
    return unicodedata.normalize("NFC", "_".join(name.split()))


def _is_within(path: Path, folder: Path) -> bool:
    return real_path(path).is_relative_to(folder)
