"""Text that is still arriving, read from the front by code that reads as if it were all there.

Readers are generators: one that needs more text yields None and goes on when there is more.
What they find depends on the text alone, never on how it was cut.
"""

import re
from collections.abc import Generator
from functools import cache
from typing import TypeVar

T = TypeVar("T")
Reading = Generator[None, None, T]

_SPACE = re.compile(r"\s*")


class Literals:
    """Texts to look for. None of them may begin another, so that the first match is final."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self._prefixes = frozenset(text[:size] for text in texts for size in range(1, len(text)))
        assert texts and not self._prefixes & set(texts), texts
        self.longest = max(map(len, texts))
        self._pattern = re.compile("|".join(map(re.escape, texts)))

    def search(self, text: str, start: int = 0) -> int:
        """Return where the first of them begins; -1 for nowhere."""
        match = self._pattern.search(text, start)
        return match.start() if match else -1

    def here(self, text: str, start: int) -> str:
        """Return the one that `text` has at `start`; empty for none."""
        match = self._pattern.match(text, start)
        return match.group() if match else ""

    def begun(self, text: str, start: int = 0) -> int:
        """Return the length of the longest end of `text[start:]` that begins one of them."""
        for size in range(min(self.longest - 1, len(text) - start), 0, -1):
            if text[-size:] in self._prefixes:
                return size
        return 0

    def completing(self, text: str) -> str:
        """Return one that begins with `text`; empty for none."""
        return next((literal for literal in self.texts if literal.startswith(text)), "")


@cache
def _only(text: str) -> Literals:
    return Literals(text)


class Source:
    """The text so far, how much of it was taken, and whether more may come."""

    def __init__(self) -> None:
        self.ended = False
        self._text = ""
        self._at = 0
        self._taken: list[str] = []

    def add(self, text: str) -> None:
        self._text = self._text[self._at :] + text
        self._at = 0

    def end(self) -> None:
        self.ended = True

    @property
    def exhausted(self) -> bool:
        return self.ended and self._at == len(self._text)

    def mark(self) -> None:
        self._taken.clear()

    def since_mark(self) -> str:
        """Return what was taken since the mark."""
        return "".join(self._taken)

    def here(self, literals: Literals) -> str:
        """Return the literal that comes next, as far as is known; empty for none."""
        return literals.here(self._text, self._at)

    def take_certain(self, stops: Literals, limit: int | None = None) -> str:
        """Take what precedes the first of `stops`, without a last part that could begin one."""
        end = stops.search(self._text, self._at)
        if end < 0:
            held = 0 if self.ended else stops.begun(self._text, self._at)
            end = len(self._text) - held
        return self._take_to(end if limit is None else min(end, self._at + limit))

    def take_all(self) -> str:
        return self._take_to(len(self._text))

    def put_back(self, text: str) -> None:
        """Undo the taking of `text`, which must be what was taken last."""
        if len(text) <= self._at:
            self._at -= len(text)
        else:
            self._text = text + self._text[self._at :]
            self._at = 0
        size = len(text)
        while size:
            last = self._taken.pop()
            if len(last) > size:
                self._taken.append(last[:-size])
            size -= min(size, len(last))

    def until(self, stops: Literals, limit: int | None = None) -> Reading[str]:
        """Take what precedes the first of `stops`: all that is left if none comes.

        limit: characters after which to give up and return those.
        """
        pieces: list[str] = []
        while True:
            piece = self.take_certain(stops, limit)
            pieces.append(piece)
            if limit is not None:
                limit -= len(piece)
            if self.ended or limit == 0 or self.here(stops):
                return "".join(pieces)
            yield

    def take(self, size: int) -> Reading[str]:
        """Take so many characters: fewer only at the end."""
        while len(self._text) - self._at < size and not self.ended:
            yield
        return self._take_to(min(self._at + size, len(self._text)))

    def run(self, pattern: re.Pattern[str]) -> Reading[str]:
        """Take what `pattern` matches here: it must match single characters, repeated."""
        pieces: list[str] = []
        while True:
            match = pattern.match(self._text, self._at)
            pieces.append(self._take_to(match.end() if match else self._at))
            if self.ended or self._at < len(self._text):
                return "".join(pieces)
            yield

    def space(self) -> Reading[str]:
        return self.run(_SPACE)

    def at(self, literals: Literals | str) -> Reading[str]:
        """Return the literal that comes next; empty for none. Takes nothing.

        Text that ends inside a literal counts as that literal: models are cut off anywhere.
        """
        if isinstance(literals, str):
            literals = _only(literals)
        while True:
            if found := self.here(literals):
                return found
            rest = self._text[self._at : self._at + literals.longest]
            begun = literals.completing(rest)
            if not begun:
                return ""
            if self.ended:
                return begun if rest else ""
            yield

    def skip(self, literals: Literals | str) -> Reading[str]:
        """Take the literal that comes next, if any, and return what was taken."""
        found = yield from self.at(literals)
        return self._take_to(min(self._at + len(found), len(self._text)))

    def _take_to(self, end: int) -> str:
        text = self._text[self._at : end]
        self._at = end
        if text:
            self._taken.append(text)
        return text
