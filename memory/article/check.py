"""Says what is wrong with the structure of an article. It never changes anything."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from memory.article.article import Article
from memory.article.blocks import LAST_SECTIONS
from memory.article.infobox import EntityKind
from memory.article.wikilinks import stem_of

_ORDER = ("h1", "series", "infobox", "lead")


@dataclass(frozen=True, slots=True)
class Problem:
    """code: a word to tell problems apart by. line: counted from 1; 0 for the whole article."""

    code: str
    line: int
    text: str


def check(article: Article) -> list[Problem]:
    """Return what is wrong, in the order of the text."""
    found = [
        *_check_title(article),
        *_check_order(article),
        *_check_sections(article),
        *_check_fences(article),
        *_check_infobox(article),
        *_check_footnotes(article),
    ]
    return sorted(found, key=lambda problem: problem.line)


def _check_title(article: Article) -> Iterator[Problem]:
    titles = [h for h in article.source.headings if h.depth == 1]
    h1 = article.block("h1")
    if h1 is None:
        yield Problem("no-title", 0, "there is no `# Title` before the other headings")
    elif stem_of(h1.title or "") != article.stem:
        yield Problem("title", h1.first, f"the title {h1.title!r} is not that of {article.stem}")
    for other in titles[1:]:
        yield Problem("second-title", other.line, f"{other.title!r} is a second title")


def _check_order(article: Article) -> Iterator[Problem]:
    header = [block for block in article.blocks if block.kind in _ORDER]
    if [b.kind for b in header] != sorted((b.kind for b in header), key=_ORDER.index):
        order = ", ".join(b.kind for b in header)
        yield Problem("order", header[0].first, f"title, series, infobox, lead, not: {order}")
    if article.block("lead") is None and article.redirect is None:
        yield Problem("no-lead", 0, "there is no paragraph before the first section")


def _check_sections(article: Article) -> Iterator[Problem]:
    ranks = {kind: rank for rank, kind in enumerate(("section", *LAST_SECTIONS.values()))}
    top = [s for s in article.sections if s.depth == 2]
    for before, after in pairwise(top):
        if ranks[before.kind] > ranks[after.kind]:
            text = f"{after.title!r} stands behind {before.title!r}"
            yield Problem("section-order", after.first, text)
    counts = Counter(s.kind for s in top if s.kind != "section")
    for section in top:
        if counts[section.kind] > 1:
            yield Problem("twice", section.first, f"{section.title!r} is there more than once")
    depth = 1
    for heading in article.source.headings:
        if heading.depth > depth + 1:
            yield Problem("depth", heading.line, f"{heading.title!r} leaves out a level")
        depth = heading.depth


def _check_fences(article: Article) -> Iterator[Problem]:
    for fence in article.source.fences:
        if not fence.is_closed:
            yield Problem("fence", fence.first, "this block of code is not closed")


def _check_infobox(article: Article) -> Iterator[Problem]:
    infobox = article.infobox
    if infobox is None:
        return
    seen: set[str] = set()
    for field in infobox.entries:
        if field.key.casefold() in seen:
            yield Problem("field-twice", field.line, f"{field.key!r} is there more than once")
        seen.add(field.key.casefold())
    kind = infobox.get("kind")
    if kind is not None and kind.value.casefold() not in set(EntityKind):
        known = ", ".join(EntityKind)
        yield Problem("kind", kind.line, f"{kind.value!r} is none of {known}")


def _check_footnotes(article: Article) -> Iterator[Problem]:
    footnotes = article.footnotes
    undefined, uncited = set(footnotes.undefined), set(footnotes.uncited)
    repeated = set(footnotes.repeated)
    for found in footnotes.markers:
        if found.label in undefined:
            undefined.remove(found.label)
            yield Problem("undefined", found.line, f"the footnote {found.label} is not defined")
    for definition in footnotes.definitions:
        if definition.label in repeated:
            text = f"the footnote {definition.label} is defined more than once"
            yield Problem("defined-twice", definition.first, text)
        elif definition.label in uncited:
            text = f"nothing cites the footnote {definition.label}"
            yield Problem("uncited", definition.first, text)
