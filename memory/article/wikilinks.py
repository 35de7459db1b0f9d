"""Links between articles: `[[Stem]]`, `[[Stem|text]]`, `[[Stem#anchor]]`, `[[#anchor]]`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.article.source import Source

LINK = re.compile(r"\[\[([^\[\]\r\n]+)\]\]")
CATEGORY = "category:"


@dataclass(frozen=True, slots=True)
class WikiLink:
    """line: counted from 1. start, end: where it stands in its line.

    stem: the article that it leads to; empty for a place in the same article.
    shown: what is read in its place.
    """

    stem: str
    anchor: str
    shown: str
    line: int
    start: int
    end: int

    def __str__(self) -> str:
        place = f"{self.stem}#{self.anchor}" if self.anchor else self.stem
        return f"[[{place}]]" if self.shown == title_of(self.stem) else f"[[{place}|{self.shown}]]"


def stem_of(title: str) -> str:
    """Return the name of the file that an article of this title has."""
    return "_".join(title.split())


def title_of(stem: str) -> str:
    """Return the title of the article of this name."""
    return stem.replace("_", " ")


def links_in(line: str, number: int = 1) -> Iterator[WikiLink]:
    """Yield the links of one line; one to a category is none."""
    for match in LINK.finditer(line):
        inner = match.group(1)
        if inner.strip().lower().startswith(CATEGORY):
            continue
        target, _, shown = inner.partition("|")
        stem, _, anchor = (part.strip() for part in target.partition("#"))
        if stem or anchor:
            shown = shown.strip() or title_of(stem or anchor)
            yield WikiLink(stem_of(stem), anchor, shown, number, *match.span())


def find_links(source: Source) -> list[WikiLink]:
    """Return the links outside of code, in order."""
    return [link for number, line in source.prose_lines for link in links_in(line, number)]
