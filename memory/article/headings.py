"""Headings: `# Title` of one to six hashes. Underlined headings are paragraphs here."""

import unicodedata
from dataclasses import dataclass

from memory.article.lines import content_of

DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Heading:
    """line: counted from 1. depth: the number of hashes."""

    line: int
    depth: int
    title: str

    @property
    def anchor(self) -> str:
        return slugify(self.title)


def read_heading(line: str, number: int) -> Heading | None:
    """Return the heading that stands in `line`, or None; whether it is in code is not asked."""
    text = content_of(line)
    stripped = text.lstrip(" ")
    if len(text) - len(stripped) > 3 or not stripped.startswith("#"):
        return None
    title = stripped.lstrip("#")
    depth = len(stripped) - len(title)
    if depth > DEEPEST or (title and title[0] not in " \t"):
        return None
    title = title.strip()
    without_closing = title.rstrip("#")
    if without_closing != title and (not without_closing or without_closing[-1] in " \t"):
        title = without_closing.rstrip()
    return Heading(number, depth, title)


def slugify(title: str) -> str:
    """Return the anchor of a heading: letters and digits in lower case, hyphens for spaces."""
    kept = (
        "-" if c.isspace() else c
        for c in unicodedata.normalize("NFC", title).lower().strip()
        if c.isspace() or c in "-_" or unicodedata.category(c)[0] in "LMN"
    )
    return "".join(kept)
