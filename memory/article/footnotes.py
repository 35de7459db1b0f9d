"""Footnotes: markers `[^1]` in the text, and below References what they stand for.

A definition that code wrote cites a conversation: ``[^1]: `conv:0a1b2c3d` (2026-01-02, chat) — …``.
"""

import re
from collections import Counter
from dataclasses import dataclass

from memory.article.lines import content_of
from memory.article.source import Source

_MARKER = re.compile(r"\[\^([^\[\]\s^]+)\]")
_DEFINITION = re.compile(r" {0,3}\[\^([^\[\]\s^]+)\]:")
_CITATION = re.compile(
    r"`conv:(?P<conversation>[0-9A-Za-z_.-]+)` \((?P<date>\d{4}-\d{2}-\d{2}), "
    r"(?P<source>[^()]*)\)(?: — (?P<text>.*))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Citation:
    """date: as YYYY-MM-DD. source: where the conversation was held."""

    conversation: str
    date: str
    source: str
    text: str = ""

    def __str__(self) -> str:
        said = " ".join(self.text.split())
        return f"`conv:{self.conversation}` ({self.date}, {self.source})" + (
            f" — {said}" if said else ""
        )


@dataclass(frozen=True, slots=True)
class Marker:
    """line: counted from 1. start, end: where it stands in its line."""

    label: str
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Definition:
    """first, last: its lines; those behind the first are indented."""

    label: str
    first: int
    last: int
    text: str

    @property
    def citation(self) -> Citation | None:
        match = _CITATION.fullmatch(self.text)
        if match is None:
            return None
        found = match.groupdict()
        return Citation(
            found["conversation"], found["date"], found["source"].strip(), found["text"] or ""
        )


@dataclass(frozen=True, slots=True)
class Footnotes:
    markers: tuple[Marker, ...]
    definitions: tuple[Definition, ...]

    @property
    def cited(self) -> list[str]:
        """Labels of markers, each once, in the order of the text."""
        return list(dict.fromkeys(marker.label for marker in self.markers))

    @property
    def undefined(self) -> list[str]:
        defined = {definition.label for definition in self.definitions}
        return [label for label in self.cited if label not in defined]

    @property
    def uncited(self) -> list[str]:
        cited = set(self.cited)
        return [d.label for d in self.definitions if d.label not in cited]

    @property
    def repeated(self) -> list[str]:
        """Labels that are defined more than once."""
        counts = Counter(definition.label for definition in self.definitions)
        return [label for label, count in counts.items() if count > 1]

    @property
    def is_bijection(self) -> bool:
        """Whether every marker has one definition and every definition a marker."""
        return not (self.undefined or self.uncited or self.repeated)


def marker(label: str) -> str:
    return f"[^{label}]"


def find_footnotes(source: Source) -> Footnotes:
    """Return the footnotes outside of code."""
    markers: list[Marker] = []
    definitions: list[Definition] = []
    for number, line in source.prose_lines:
        begins = _DEFINITION.match(line)
        if begins:
            definitions.append(_definition(source, number))
        markers += (
            Marker(match.group(1), number, *match.span())
            for match in _MARKER.finditer(line, begins.end() if begins else 0)
        )
    return Footnotes(tuple(markers), tuple(definitions))


def _definition(source: Source, first: int) -> Definition:
    """One definition with the lines that go on behind it: indented, and not blank."""
    label, _, told = source.line(first).lstrip(" ").removeprefix("[^").partition("]:")
    last = first
    while last < len(source.lines) and last + 1 not in source.code_lines:
        line = source.lines[last]
        if not line.strip() or line[0] not in " \t" or _DEFINITION.match(line):
            break
        last += 1
    following = (content_of(line).strip() for line in source.lines[first:last])
    text = "\n".join([told.strip(), *following])
    return Definition(label, first, last, text)
