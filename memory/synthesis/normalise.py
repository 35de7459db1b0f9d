"""Brings an article into the form that all have, before the gate looks at it. Pure.

Numbers of footnotes, the place of sections, the order of fields and the stub's line are code's
business everywhere; links only in parts that synthesis wrote.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from memory.article.article import Article
from memory.article.blocks import LAST_SECTIONS
from memory.article.edits import splice
from memory.article.footnote_edits import renumber
from memory.article.lines import content_of, line_end_of
from memory.article.templates import STUB
from memory.article.wikilinks import find_links, title_of
from memory.synthesis.gates import num_words
from memory.synthesis.pages import Resolve
from memory.synthesis.parts import HISTORY, INFOBOX, parts_of

STUB_WORDS = 120
"""An article with fewer is a stub."""
_FIRST_FIELDS = ("kind", "type", "aliases")
_RANKS = {"section": 0, "history": 1, **{k: i for i, k in enumerate(LAST_SECTIONS.values(), 2)}}


def normalise(article: Article, owned: set[str], resolve: Resolve) -> Article:
    """Return an article in its form; one of which no part is ours stays, but for its numbers."""
    if owned:
        article = _title(article)
        article = _links(article, owned, resolve)
        article = _section_order(article)
        article = _stub(article)
    if INFOBOX in owned:
        article = _field_order(article)
    return renumber(article)


def _title(article: Article) -> Article:
    if article.block("h1") is not None:
        return article
    return splice(article, 1, 0, f"# {title_of(article.stem)}\n\n")


def _links(article: Article, owned: set[str], resolve: Resolve) -> Article:
    """Spell links to other articles by their stems; take the brackets off one to itself."""
    parts = parts_of(article)
    ours = {
        line
        for name in owned & parts.keys()
        for line in range(parts[name].block.first, parts[name].block.last + 1)
    }
    lines = list(article.source.lines)
    for link in reversed(find_links(article.source)):
        stem = resolve(link.stem) if link.stem else None
        if link.line not in ours or stem is None:
            continue
        place = f"{stem}#{link.anchor}" if link.anchor else stem
        if stem == article.stem and not link.anchor:
            text = link.shown
        elif link.shown == title_of(stem):
            text = f"[[{place}]]"
        else:
            text = f"[[{place}|{link.shown}]]"
        line = lines[link.line - 1]
        lines[link.line - 1] = line[: link.start] + text + line[link.end :]
    return Article(article.stem, "".join(lines))


def _section_order(article: Article) -> Article:
    """Sort the sections of the second level, each with all of its lines."""
    top = [s for s in article.sections if s.depth == 2]
    ranks = [
        _RANKS["history" if s.title == HISTORY and s.kind == "section" else s.kind] for s in top
    ]
    # Sections below a second title are that one's: which of them may move is a person's business.
    if ranks == sorted(ranks) or any(s.depth == 1 for s in article.sections):
        return article
    lines = article.source.lines
    borders = [0, *(s.first - 1 for s in top), len(lines)]
    head, *bodies = (_without_end(lines[begin:end]) for begin, end in pairwise(borders))
    ordered = [body for _, body in sorted(zip(ranks, bodies, strict=True), key=lambda p: p[0])]
    end = line_end_of(article.text)
    after = Article(article.stem, "".join(_joined([head, *ordered], end)))
    assert _said(after) == _said(article)
    return after


def _without_end(lines: list[str]) -> list[str]:
    """Return lines without the blank ones behind them."""
    last = len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    return lines[:last]


def _joined(blocks: list[list[str]], end: str) -> Iterator[str]:
    """Yield the lines of blocks, with a blank one between each two."""
    for number, block in enumerate(block for block in blocks if block):
        if number:
            yield end
        yield from block[:-1]
        yield block[-1] if block[-1].endswith("\n") else block[-1] + end


def _said(article: Article) -> Counter[str]:
    return Counter(content_of(line) for line in article.source.lines if line.strip())


def _stub(article: Article) -> Article:
    is_short = num_words(_prose(article)) < STUB_WORDS
    if is_short == article.is_stub:
        return article
    if is_short:
        lead = article.block("lead")
        if lead is None:
            return article
        lines = article.source.lines
        gap = "" if lead.last < len(lines) and not lines[lead.last].strip() else "\n"
        return splice(article, lead.last + 1, lead.last, f"\n{STUB}\n{gap}")
    stub = next(t for t in article.templates if t.kind == "stub")
    # With the blank line that stands above it.
    first = stub.line - (stub.line > 1 and not article.source.line(stub.line - 1).strip())
    return splice(article, first, stub.line, "")


def _prose(article: Article) -> str:
    kinds = ("lead", "section")
    return "\n".join(article.body_of(b) for b in article.blocks if b.kind in kinds)


def _field_order(article: Article) -> Article:
    infobox = article.infobox
    if infobox is None or not infobox.is_closed:
        return article
    rank = {key: index for index, key in enumerate(_FIRST_FIELDS)}
    ordered = sorted(infobox.entries, key=lambda f: rank.get(f.key.casefold(), len(rank)))
    if list(infobox.entries) == ordered:
        return article
    text = "".join(f"{field.key}: {field.value}\n" for field in ordered)
    return splice(article, infobox.first + 1, infobox.last - 1, text)
