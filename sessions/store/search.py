"""Finds words in what was said, in all sessions.

Texts are kept in memory once they were read, by the size and time of their file, so that a
second search opens only what has changed. Letters compare as `str.casefold` has it: `ß` is found
by `ss`, `İ` by `i̇`, and what is marked is what stands in the text.
"""

import logging
import threading
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from sessions.errors import NotRead, SessionNotFound
from sessions.store.messages import text_of
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore
from sessions.store.summary import title_of

logger = logging.getLogger(__name__)

MOST_MATCHES = 50
MOST_PER_SESSION = 10
AROUND = 60  # characters on each side of what was found
CUT = "…"


@dataclass(frozen=True, slots=True)
class Match:
    """start, end: what was found in `snippet`, in UTF-16 units, as JavaScript counts them."""

    snippet: str
    start: int
    end: int
    role: str


@dataclass(frozen=True, slots=True)
class SessionMatches:
    name: str
    title: str
    matches: list[Match]


@dataclass(frozen=True, slots=True)
class _Said:
    role: str
    text: str
    folded: str


@dataclass(frozen=True, slots=True)
class _Texts:
    """What one file holds. fingerprint: its size and time when it was read."""

    fingerprint: tuple[int, int]
    title: str
    said: list[_Said]


class SessionSearch:
    """Searches the sessions of a store. Any thread; may block."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._texts: dict[str, _Texts] = {}
        self._lock = threading.Lock()

    def find(self, query: str) -> list[SessionMatches]:
        """Return what matches, newest sessions first."""
        wanted = query.casefold()
        found: list[SessionMatches] = []
        left = MOST_MATCHES
        for name, texts in self._newest_first():
            matches = _matches(texts.said, wanted, min(left, MOST_PER_SESSION))
            if matches:
                found.append(SessionMatches(name, texts.title, matches))
                left -= len(matches)
            if left == 0:
                break
        return found

    def _newest_first(self) -> list[tuple[str, _Texts]]:
        with self._lock:
            known = {
                file.name: texts for file in self._store.files() if (texts := self._read(file))
            }
            self._texts = known
        return sorted(known.items(), key=lambda item: -item[1].fingerprint[0])

    def _read(self, file: SessionFile) -> _Texts | None:
        fingerprint = fingerprint_of(file.path)
        known = self._texts.get(file.name)
        if fingerprint is None or (known and known.fingerprint == fingerprint):
            return known if fingerprint else None
        try:
            entries = file.read()
        except SessionNotFound:
            return None
        except NotRead as error:
            logger.warning("the session %r is not searched as it is now: %s", file.name, error)
            return known
        said = [
            _Said(entry.role, text, text.casefold())
            for entry in entries
            if entry.role in ("user", "assistant")
            and entry.message is not None
            and (text := text_of(entry.message))
        ]
        return _Texts(fingerprint, title_of(entries), said)


def fingerprint_of(path: Path) -> tuple[int, int] | None:
    """Return time in nanoseconds and size; None for a file that has gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _matches(said: list[_Said], wanted: str, most: int) -> list[Match]:
    found: list[Match] = []
    for each in said:
        for start, end in _places(each, wanted):
            if len(found) == most:
                return found
            found.append(_match(each, start, end))
    return found


def _places(said: _Said, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield where `wanted` stands in the text, as it was before folding."""
    at = said.folded.find(wanted)
    if at < 0:
        return
    # Where each character begins in the folded text: folding can make several of one.
    begins = None
    if len(said.folded) != len(said.text) or not said.text.isascii():
        begins = list(accumulate((len(c.casefold()) for c in said.text), initial=0))
    while at >= 0:
        end = at + len(wanted)
        if begins is None:
            yield at, end
        else:
            yield bisect_right(begins, at) - 1, bisect_right(begins, end - 1)
        at = said.folded.find(wanted, end)


def _match(said: _Said, start: int, end: int) -> Match:
    first, last = max(0, start - AROUND), min(len(said.text), end + AROUND)
    head = CUT if first else ""
    before = head + said.text[first:start]
    tail = CUT if last < len(said.text) else ""
    snippet = head + said.text[first:last] + tail
    begin = _utf16(before)
    return Match(snippet, begin, begin + _utf16(said.text[start:end]), said.role)


def _utf16(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
