"""Rows of a JSON file that need not fit the memory: lines, an array, or an object around one."""

import re
from collections.abc import Iterator
from typing import Any, TextIO

from jobs.dataset.errors import DatasetError
from jobs.dataset.parsing import json_text

CHUNK = 2**16  # characters
LONGEST_ROW = 16 * 2**20  # characters
LONGEST_DOCUMENT = 64 * 2**20  # characters of a file that is one object
_GAP = re.compile(r"[\s,\ufeff]*")

Row = dict[str, Any]


def read_json_rows(text: TextIO) -> Iterator[Row]:
    """Yield the objects of a file, whichever of the three forms it has; others are passed over.

    Raises DatasetError for what is no JSON, and for a row that is too long.
    """
    source = _Source(text)
    if source.peek() == "[":
        source.place += 1
        yield from filter(_is_row, source.values(end="]"))
    else:
        yield from _lines_or_document(source)


def _lines_or_document(source: "_Source") -> Iterator[Row]:
    """Objects one after the other; a single one may be the envelope of a list."""
    first: Row | None = None
    count = 0
    for value in source.values(end=""):
        count += 1
        if count == 1 and isinstance(value, dict):
            first = value
            continue
        if first is not None:
            yield first
            first = None
        if _is_row(value):
            yield value
    if first is not None:
        yield from _within(first)


def _within(document: Row) -> Iterator[Row]:
    lists = [value for value in document.values() if isinstance(value, list)]
    longest: list[Any] = max(lists, key=lambda rows: sum(map(_is_row, rows)), default=[])
    rows = [row for row in longest if _is_row(row)]
    yield from rows or [document]


def _is_row(value: Any) -> bool:
    return isinstance(value, dict)


class _Source:
    """A text of which as much is in memory as the value under way takes."""

    def __init__(self, text: TextIO) -> None:
        self.place = 0
        self._text = text
        self._buffer = ""
        self._is_first = True

    def peek(self) -> str:
        """The next character that says something; empty at the end."""
        while True:
            gap = _GAP.match(self._buffer, self.place)
            self.place = gap.end() if gap else self.place
            if self.place < len(self._buffer) or not self._fill():
                return self._buffer[self.place : self.place + 1]

    def values(self, *, end: str) -> Iterator[Any]:
        """Yield values up to a bracket, or to the end of the text."""
        while (character := self.peek()) != end:
            if not character:
                raise DatasetError("the JSON file ends in the middle of its array")
            yield self._value()

    def _value(self) -> Any:
        while True:
            try:
                value, self.place = json_text.parse_at(self._buffer, self.place)
            except ValueError as error:
                # It may only be cut; if there is no more of it, it is broken.
                limit = LONGEST_DOCUMENT if self._is_first else LONGEST_ROW
                length = len(self._buffer) - self.place
                if length > limit:
                    raise DatasetError(
                        f"a row of the JSON file is broken, or longer than {limit:,} characters"
                    ) from error
                if not self._fill():
                    raise DatasetError(f"the JSON file is broken: {error}") from error
            else:
                self._is_first = False
                return value

    def _fill(self) -> bool:
        """Read on, as much again as there is; what was read is dropped."""
        self._buffer = self._buffer[self.place :]
        self.place = 0
        more = self._text.read(max(CHUNK, len(self._buffer)))
        self._buffer += more
        return bool(more)
