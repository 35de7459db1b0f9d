"""All pages of the vault in memory, read again when their files change.

A `Snapshot` is the vault at one moment and never changes. What it takes to look a name up is
made when it is first asked for, and lives as long as the snapshot: until any file changes.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from memory.article.article import Article
from memory.article.wikilinks import title_of
from memory.errors import ArticleNotFound, NoVault
from memory.folding import fold, fold_name
from memory.links import ArticleLink, links_of
from memory.vault import REFERENCE_PREFIX, PageFile, Vault, read_page

CLOCK_GRAIN_NS = 50_000_000
"""How far apart changes of a file surely have different times; kernels count in milliseconds."""

Labels = Callable[[Article], Iterable[str]]


@dataclass(frozen=True)
class Entry:
    """One page as it was read. is_whole: as `memory.vault.Page` has it."""

    file: PageFile
    text: str
    is_whole: bool = True

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def is_reference(self) -> bool:
        return self.name.startswith(REFERENCE_PREFIX)

    @cached_property
    def article(self) -> Article:
        return Article(self.file.stem, self.text)

    @cached_property
    def folded(self) -> str:
        """The text as it is compared, with as many lines."""
        return fold(self.text)

    @cached_property
    def folded_line_starts(self) -> list[int]:
        """Where each line begins in the folded text."""
        lengths = (len(line) + 1 for line in self.folded.split("\n"))
        return list(accumulate(lengths, initial=0))[:-1]

    @cached_property
    def folded_title(self) -> str:
        return fold_name(self.file.stem)

    @cached_property
    def links(self) -> list[ArticleLink]:
        return links_of(self.article)


class Snapshot:
    """articles, reference: pages by name, in the order of names."""

    def __init__(self, articles: dict[str, Entry], reference: dict[str, Entry]) -> None:
        self.articles = articles
        self.reference = reference

    def get(self, name: str) -> Entry:
        """Return an article or a page of reference. Raises ArticleNotFound.

        Spaces stand for underscores, and letter case decides nothing unless it has to.
        """
        pages = self.reference if name.startswith(REFERENCE_PREFIX) else self.articles
        if name in pages:
            return pages[name]
        found = [entry for entry in pages.values() if fold_name(entry.name) == fold_name(name)]
        if len(found) != 1:
            raise ArticleNotFound
        return found[0]

    def canonical(self, stem: str) -> str:
        """Return the article that a link means; the stem itself if there is none."""
        return stem if stem in self.articles else self._by_title.get(fold_name(stem), stem)

    def outbound(self, name: str) -> list[str]:
        """Return the articles that a page leads to, each once, in the order of its text.

        Those that nobody has written yet are among them.
        """
        targets = (self.canonical(link.target) for link in self.get(name).links)
        return [stem for stem in dict.fromkeys(targets) if stem != name]

    @cached_property
    def inbound(self) -> dict[str, list[str]]:
        """The articles that lead to an article, by its name."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.articles:
            for target in self.outbound(name):
                found[target].append(name)
        return dict(found)

    @cached_property
    def surfaces(self) -> dict[str, list[str]]:
        """The articles that a folded name can mean: by title, alias or redirect."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name, entry in self.articles.items():
            target = self.canonical(entry.article.redirect) if entry.article.redirect else name
            infobox = entry.article.infobox
            aliases = infobox.aliases if infobox else []
            for surface in (title_of(name), entry.article.title, *aliases):
                if target not in found[fold_name(surface)]:
                    found[fold_name(surface)].append(target)
        return dict(found)

    @cached_property
    def categories(self) -> dict[str, list[str]]:
        """The articles of each category."""
        return self._grouped(lambda article: article.categories)

    @cached_property
    def types(self) -> dict[str, list[str]]:
        """The articles of each type that infoboxes name."""
        return self._grouped(
            lambda article: (
                [article.infobox.type] if article.infobox and article.infobox.type else []
            )
        )

    @cached_property
    def series(self) -> dict[str, list[str]]:
        """The articles of each series."""
        return self._grouped(
            lambda article: [self.canonical(article.series)] if article.series else []
        )

    def _grouped(self, labels: Labels) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for name, entry in self.articles.items():
            for label in labels(entry.article):
                found[label].append(name)
        return dict(sorted(found.items()))

    @cached_property
    def _by_title(self) -> dict[str, str]:
        return {entry.folded_title: name for name, entry in reversed(self.articles.items())}


class Catalog:
    """Keeps the newest snapshot of a vault. Any thread; blocks while files are read."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._lock = threading.Lock()
        self._snapshot = Snapshot({}, {})
        # Files that were read so soon after a change that another could have the same time.
        self._fresh: set[str] = set()

    def snapshot(self) -> Snapshot:
        """Return the vault as it is now; only files that have changed are read.

        Raises NoVault.
        """
        if not self.vault.exists:
            raise NoVault
        with self._lock:
            known = self._snapshot
            articles = self._refreshed(self.vault.articles(), known.articles)
            reference = self._refreshed(self.vault.reference(), known.reference)
            if (articles, reference) != (known.articles, known.reference):
                self._snapshot = Snapshot(articles, reference)
            return self._snapshot

    def _refreshed(self, files: list[PageFile], known: dict[str, Entry]) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        for file in files:
            entry = known.get(file.name)
            if entry is None or entry.file != file or file.name in self._fresh:
                try:
                    entry = self._read(file, entry)
                except ArticleNotFound:  # it went while we looked
                    continue
            found[file.name] = entry
        return found

    def _read(self, file: PageFile, known: Entry | None) -> Entry:
        """Read a page, and keep what is known of it if nothing has changed."""
        is_fresh = time.time_ns() - file.modified_ns < CLOCK_GRAIN_NS
        (self._fresh.add if is_fresh else self._fresh.discard)(file.name)
        page = read_page(file)
        entry = Entry(file, page.text, page.is_whole)
        return known if known is not None and known == entry else entry
