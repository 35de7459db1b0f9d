"""The vault as synthesis works with it: articles to read and to write, and talk pages."""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memory.article.article import Article
from memory.article.wikilinks import title_of
from memory.catalog import Catalog, Snapshot
from memory.errors import ArticleNotFound, ChangedMeanwhile, GitFailed
from memory.folding import fold_name
from memory.setup.setup import renew_pages
from memory.synthesis.briefs import brief, definitions_of, points_of
from memory.synthesis.models import CAPTURED
from memory.synthesis.names import canonical
from memory.vault import ARTICLES, SUFFIX, TALK, Vault, blob_hash, read_page
from memory.writing import add_note, write_article

Resolve = Callable[[str], str | None]
"""Returns the stem of the article that a link means; None if there is none."""


@dataclass(frozen=True, slots=True)
class PageName:
    """What an article is called. aliases: of its infobox, and names that redirect to it."""

    stem: str
    title: str
    aliases: tuple[str, ...]


class Pages:
    """Thread: any, one at a time. Blocks for as long as disk and git take."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._catalog = Catalog(vault)

    def renew_policy(self) -> list[str]:
        """Bring pages up to date that nobody has edited; returns them. Raises NotWritten."""
        return renew_pages(self._vault)

    def why_no_history(self) -> str | None:
        """Return why changes are not committed though the vault has a repository."""
        return self._vault.git.refusal

    def stems(self) -> list[str]:
        return [file.name for file in self._vault.articles()]

    def is_gone(self, stem: str) -> bool:
        """Whether there is surely no such article, nor anything else in its place."""
        path = self._vault.root / ARTICLES / f"{stem}{SUFFIX}"
        return stem not in self.stems() and not os.path.lexists(path)

    def read(self, stem: str) -> Article | None:
        """Return an article as it is now; None if there is none, or none that can be edited."""
        with contextlib.suppress(ArticleNotFound):
            file = self._vault.find(stem)
            page = read_page(file)
            if page.name == stem and page.is_whole and not file.path.is_symlink():
                return Article(stem, page.text)
        return None

    def write(self, after: Article, before: Article | None) -> bool:
        """Write an article; False if the file does not say `before` any more.

        Raises InvalidStem, NotWritten.
        """
        expected = None if before is None else hash_of(before)
        try:
            write_article(self._vault, after.stem, after.text, expected=expected)
        except ChangedMeanwhile:
            return False
        return True

    def commit(self, stem: str, subject: str) -> str | None:
        """Commit an article, if the vault has a history; returns why that failed, if it did.

        It is no loss: the next commit of the article has the change as well.
        """
        return self._commit(f"{ARTICLES}/{stem}{SUFFIX}", subject)

    def note(self, stem: str, line: str) -> None:
        """Put a line on the talk page of an article, once. Raises NotWritten."""
        path = self._vault.root / TALK / f"{stem}{SUFFIX}"
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if f"- {' '.join(line.split())}" in path.read_text().splitlines():
                return
        add_note(self._vault, stem, line)
        self._commit(f"{TALK}/{stem}{SUFFIX}", f"Note on {title_of(stem)}")

    def names(self) -> Iterator[PageName]:
        """Yield what each article is called, but for redirects and for what is captured."""
        articles = self._snapshot().articles
        redirects: dict[str, list[str]] = {}
        for stem, entry in articles.items():
            if entry.article.redirect:
                redirects.setdefault(entry.article.redirect, []).append(title_of(stem))
        for stem, entry in articles.items():
            if stem == CAPTURED or entry.article.redirect:
                continue
            infobox = entry.article.infobox
            aliases = (*(infobox.aliases if infobox else ()), *redirects.get(stem, ()))
            yield PageName(stem, entry.article.title, aliases)

    def resolver(self) -> Resolve:
        """Return what finds the article that a link means, as articles are now."""
        snapshot = self._snapshot()

        def resolve(stem: str) -> str | None:
            if stem in snapshot.articles:
                return stem
            found = snapshot.surfaces.get(fold_name(title_of(stem)), [])
            return found[0] if len(found) == 1 else None

        return resolve

    def topics_to_ignore(self) -> frozenset[str]:
        """Return canonical names of what is never remembered."""
        return frozenset(map(canonical, points_of(self._vault.meta("Topics_to_Ignore"))))

    def categories(self) -> dict[str, str]:
        """Return the categories that the user defines, each with what belongs there."""
        return definitions_of(self._vault.meta("Category_Definitions"))

    def buckets(self) -> dict[str, str]:
        """Return the buckets that the user defines, each with what goes there."""
        return definitions_of(self._vault.meta("Buckets"))

    def brief(self, policy: str) -> str:
        """Return what a page of `Meta/` says, in short; blank if the user has removed it."""
        return brief(self._vault.meta(policy))

    def _snapshot(self) -> Snapshot:
        return self._catalog.snapshot()

    def _commit(self, path: str, subject: str) -> str | None:
        git = self._vault.git
        try:
            if git.is_repository:
                git.commit([path], subject)
        except GitFailed as error:
            return str(error)
        return None


def hash_of(article: Article) -> str:
    """Return the hash of an article's file, as git has it."""
    return blob_hash(article.text.encode())
