"""Markup with quoted text in it: where it ends, when what is within quotes does not count."""

from collections.abc import Sequence

from inference.text.tools.source import Literals, Reading, Source


class Quote:
    """A kind of quoted text. A backslash, where it counts, takes the next character's meaning."""

    def __init__(self, start: str, end: str, *, has_escapes: bool = False) -> None:
        self.start = start
        self.end = end
        self.has_escapes = has_escapes

    def stops(self, *closers: str) -> Literals:
        return Literals(self.end, *closers, *(["\\"] if self.has_escapes else []))

    def read(self, source: Source, stops: Literals) -> Reading[tuple[str, bool]]:
        """Take quoted text from its first quote on; return it, and whether it has an end.

        stops: with closers in it, quoted text with escapes also stops before a closer that
            has a line break and then another behind it: what is quoted so has no line breaks,
            and a quote must be missing.
        """
        pieces = [(yield from source.take(len(self.start)))]
        while True:
            pieces.append((yield from source.until(stops)))
            stop = source.here(stops)
            size = 2 if stop == "\\" else len(stop)
            pieces.append((yield from source.take(size)))
            if stop in ("", self.end):
                return "".join(pieces), bool(stop)
            if stop != "\\":
                pieces.append((yield from source.space()))
                following = yield from source.at(stops)
                is_closer = following not in ("", "\\", self.end)
                if self.has_escapes and "\n" in pieces[-1] and is_closer:
                    source.put_back("".join(pieces[-2:]))
                    return "".join(pieces[:-2]), False


class QuotedText:
    """Reads text up to a closer that stands outside of quotes."""

    def __init__(self, closers: Sequence[str], quotes: Sequence[Quote]) -> None:
        self.closers = Literals(*closers)
        self._stops = Literals(*closers, *(quote.start for quote in quotes))
        self._quotes = {quote.start: (quote, quote.stops(*closers)) for quote in quotes}

    def read(self, source: Source) -> Reading[str]:
        """Take what precedes the closer; all that is left if none comes, or only a part of one.

        When quoted text has no end, quotes mean nothing: the first closer in it counts. The
        same holds for what is read after that, which keeps the time linear.
        """
        if source.ended:
            return (yield from source.until(self.closers))
        pieces: list[str] = []
        while True:
            pieces.append((yield from source.until(self._stops)))
            found = source.here(self._stops)
            if found not in self._quotes:
                text = "".join(pieces)
                return text if found else text[: len(text) - self.closers.begun(text)]
            quote, stops = self._quotes[found]
            quoted, is_whole = yield from quote.read(source, stops)
            end = -1 if is_whole else self.closers.search(quoted)
            if end >= 0:
                source.put_back(quoted[end:])
                quoted = quoted[:end]
            pieces.append(quoted)
            if not is_whole:
                return "".join(pieces)


JSON_QUOTES = (Quote('"', '"', has_escapes=True), Quote("'", "'", has_escapes=True))
_QUOTES = {quote.start: (quote, quote.stops()) for quote in JSON_QUOTES}
_DEPTH_CHANGE = {"{": 1, "[": 1, "}": -1, "]": -1}
_STRUCTURE = Literals(*_QUOTES, *_DEPTH_CHANGE)


def read_json(source: Source) -> Reading[str]:
    """Take a JSON object or array from its first bracket to its last, or to the end."""
    pieces: list[str] = []
    depth = 0
    while True:
        pieces.append((yield from source.until(_STRUCTURE)))
        found = source.here(_STRUCTURE)
        if found in _QUOTES:
            quote, stops = _QUOTES[found]
            pieces.append((yield from quote.read(source, stops))[0])
            continue
        pieces.append((yield from source.take(len(found))))
        depth += _DEPTH_CHANGE.get(found, 0)
        if depth <= 0 or not found:
            return "".join(pieces)
