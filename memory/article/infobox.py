"""The infobox: a fenced block labelled `info` above the lead, a `key: value` on each line.

The keys `kind` and `type` say what the article is about; the others are facts about it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from memory.article.source import Source
from memory.article.wikilinks import WikiLink, links_in

LABEL = "info"
ALIASES = "aliases"
DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")


class EntityKind(StrEnum):
    """What articles are about; an unknown word means a thing."""

    THING = "thing"
    PERSON = "person"
    DOMAIN = "domain"
    PROJECT = "project"
    STANDARD = "standard"


class FieldKind(StrEnum):
    """What the value of a field is, as its spelling tells."""

    SCALAR = "scalar"
    ENTITY_LINK = "entity-link"
    LIST = "list"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Field:
    """line: of the article, counted from 1."""

    key: str
    value: str
    line: int

    @property
    def links(self) -> list[WikiLink]:
        return list(links_in(self.value, self.line))

    @property
    def values(self) -> list[str]:
        """The parts of a list; of anything else, the one value."""
        separator = "," if self.key.casefold() == ALIASES else ";"
        return [part for p in self.value.split(separator) if (part := p.strip())]

    @property
    def kind(self) -> FieldKind:
        if self.key.casefold() == ALIASES or len(self.values) > 1:
            return FieldKind.LIST
        if self.links:
            return FieldKind.ENTITY_LINK
        return FieldKind.DATE if DATE.fullmatch(self.value) else FieldKind.SCALAR


@dataclass(frozen=True, slots=True)
class Infobox:
    """first, last: its lines, the fences included. entries: all of them, in order."""

    first: int
    last: int
    is_closed: bool
    entries: tuple[Field, ...]

    def get(self, key: str) -> Field | None:
        """Return the first field of that name; letter case does not matter."""
        wanted = key.casefold()
        return next((f for f in self.entries if f.key.casefold() == wanted), None)

    @property
    def entity_kind(self) -> EntityKind:
        found = self.get("kind")
        word = found.value.casefold() if found else ""
        return EntityKind(word) if word in set(EntityKind) else EntityKind.THING

    @property
    def type(self) -> str | None:
        found = self.get("type")
        return found.value or None if found else None

    @property
    def facts(self) -> list[Field]:
        """The fields that are neither `kind` nor `type`."""
        return [f for f in self.entries if f.key.casefold() not in ("kind", "type")]

    @property
    def aliases(self) -> list[str]:
        found = self.get(ALIASES)
        return found.values if found else []


def find_infobox(source: Source) -> Infobox | None:
    """Return the infobox: the first of its kind above every section."""
    end = next((h.line for h in source.headings if h.depth > 1), len(source.lines) + 1)
    for fence in source.fences:
        if fence.first >= end:
            return None
        if fence.info.casefold() == LABEL:
            entries = tuple(_fields(source, fence.inside))
            return Infobox(fence.first, fence.last, fence.is_closed, entries)
    return None


def _fields(source: Source, numbers: range) -> Iterator[Field]:
    for number in numbers:
        key, colon, value = source.line(number).partition(":")
        if colon and key.strip():
            yield Field(key.strip(), value.strip(), number)
