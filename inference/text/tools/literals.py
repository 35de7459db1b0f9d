"""A recursive reader of literals that are not JSON: strings, words, lists and objects.

Formats differ in how strings are quoted and what a bare word means; the rest is here. Text
that ends early counts as closed where it ends. Runs over a whole text, not over a stream.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

_SPACE = re.compile(r"\s*")
_KEY = re.compile(r"[^,{}\[\]():]*")
_MAX_DEPTH = 100


class LiteralReader(ABC):
    """Reads values from the front of a text. Methods raise ValueError for what is no literal.

    closers: by opening bracket; all but braces hold lists.
    word: what a bare word may consist of.
    """

    closers: ClassVar[Mapping[str, str]] = {"{": "}", "[": "]"}
    word: ClassVar[re.Pattern[str]] = re.compile(r"[^,{}\[\]]*")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    @abstractmethod
    def read_string(self) -> str | None:
        """Take a quoted string; None if none is here."""

    @abstractmethod
    def value_of(self, word: str) -> Any:
        """Return what a bare word stands for."""

    def read_value(self) -> Any:
        self.skip_space()
        string = self.read_string()
        if string is not None:
            return string
        closer = self.closers.get(self._text[self._at : self._at + 1])
        if closer is None:
            return self.value_of(self.read(self.word).strip())
        self._at += 1
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        value = self.read_object() if closer == "}" else self._read_list(closer)
        self._depth -= 1
        return value

    def read_object(self) -> dict[str, Any]:
        """Take members up to and with a closing brace."""
        members: dict[str, Any] = {}
        while not self.skip("}") and (key := self.read_key()):
            members[key] = self.read_value()
            self.skip(",")
        return members

    def read_key(self) -> str:
        """Take a key and the colon behind it; empty where the text ends before a value."""
        string = self.read_string()
        key = self.read(_KEY).strip() if string is None else string
        if not self.skip(":") and not self.is_at_end:
            raise ValueError("a key and a colon were expected")
        self.skip_space()
        return "" if self.is_at_end else key

    def skip(self, character: str) -> bool:
        """Take space, and the character if it is next; return whether it was."""
        self.skip_space()
        found = self._text.startswith(character, self._at)
        self._at += len(character) if found else 0
        return found

    def skip_space(self) -> None:
        self.read(_SPACE)

    def read(self, pattern: re.Pattern[str]) -> str:
        """Take what the pattern matches, if anything."""
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return match.group() if match else ""

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._text)

    def _read_list(self, closer: str) -> list[Any]:
        items: list[Any] = []
        while not self.skip(closer) and not self.is_at_end:
            items.append(self.read_value())
            self.skip(",")
        return items
