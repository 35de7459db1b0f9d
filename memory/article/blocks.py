"""The skeleton of an article: its title, header, lead and sections, as ranges of lines."""

from collections.abc import Iterator
from dataclasses import dataclass

from memory.article.categories import is_category_line
from memory.article.headings import Heading
from memory.article.infobox import Infobox
from memory.article.source import Source
from memory.article.templates import Template, read_template

LAST_SECTIONS = {"see also": "see-also", "notes": "notes", "references": "references"}
"""Sections of the second level that mean something, in the order in which they end an article."""


@dataclass(frozen=True, slots=True)
class Block:
    """A range of lines, counted from 1, both included.

    kind: h1, series, infobox, lead, section, see-also, notes or references.
    title, depth: of a heading. A section holds those below it, which are blocks as well, and
    reaches to the line before the next heading of its depth or above.
    """

    kind: str
    first: int
    last: int
    title: str | None = None
    depth: int | None = None


def find_blocks(
    source: Source, infobox: Infobox | None, series: Template | None
) -> tuple[Block, ...]:
    """Return the blocks in the order of their first lines."""
    found: list[Block] = []
    headings = source.headings
    if headings and headings[0].depth == 1:
        title = headings[0]
        found.append(Block("h1", title.line, title.line, title.title, 1))
        headings = headings[1:]
    if series is not None:
        found.append(Block("series", series.line, series.line))
    if infobox is not None:
        found.append(Block("infobox", infobox.first, infobox.last))
    begin = found[0].last + 1 if found and found[0].kind == "h1" else 1
    end = headings[0].line if headings else len(source.lines) + 1
    if (lead := _lead(source, range(begin, end))) is not None:
        found.append(lead)
    found += _sections(headings, len(source.lines))
    return tuple(sorted(found, key=lambda block: block.first))


def _lead(source: Source, numbers: range) -> Block | None:
    """The first paragraph that is neither code nor says something about the article."""
    first = None
    for number in numbers:
        ends = not _is_prose(source, number)
        if ends and first is not None:
            return Block("lead", first, number - 1)
        if not ends and first is None:
            first = number
    return None if first is None else Block("lead", first, numbers[-1])


def _is_prose(source: Source, number: int) -> bool:
    line = source.line(number)
    return bool(
        line.strip()
        and number not in source.code_lines
        and not is_category_line(line)
        and read_template(line) is None
    )


def _sections(headings: list[Heading], last_line: int) -> Iterator[Block]:
    for heading, last in zip(headings, _ends(headings, last_line), strict=True):
        name = heading.title.casefold().rstrip(":").strip()
        kind = LAST_SECTIONS.get(name, "section") if heading.depth == 2 else "section"
        yield Block(kind, heading.line, last, heading.title, heading.depth)


def _ends(headings: list[Heading], last_line: int) -> list[int]:
    """The last line of each section. Headings that are still open make a stack."""
    ends = [last_line] * len(headings)
    still_open: list[int] = []
    for at, heading in enumerate(headings):
        while still_open and headings[still_open[-1]].depth >= heading.depth:
            ends[still_open.pop()] = heading.line - 1
        still_open.append(at)
    return ends
