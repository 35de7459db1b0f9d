"""Markup with quoted text in it: where it ends, when what is within quotes does not count."""

from collections.abc import Sequence

from inference.text.tools.source import Literals, Reading, Source


class Quote:
    """A kind of quoted text. A backslash, where it counts, takes the next character's meaning."""

    def __init__(self, start: str, end: str, *, has_escapes: bool = False) -> None:
        self.start = start
        self.end = end
        self._stops = Literals(end, "\\") if has_escapes else Literals(end)

    def read(self, source: Source) -> Reading[tuple[str, bool]]:
        """Take quoted text from its first quote on; return it, and whether it has an end."""
        pieces = [(yield from source.take(len(self.start)))]
        while True:
            pieces.append((yield from source.until(self._stops)))
            stop = source.here(self._stops)
            if stop == self.end:
                pieces.append((yield from source.take(len(stop))))
            elif stop:
                pieces.append((yield from source.take(2)))
                continue
            return "".join(pieces), bool(stop)


class QuotedText:
    """Reads text up to a closer that stands outside of quotes."""

    def __init__(self, closers: Sequence[str], quotes: Sequence[Quote]) -> None:
        self.closers = Literals(*closers)
        self._stops = Literals(*closers, *(quote.start for quote in quotes))
        self._quotes = {quote.start: quote for quote in quotes}

    def read(self, source: Source) -> Reading[str]:
        """Take what precedes the closer; all that is left if none comes.

        When quoted text has no end, quotes mean nothing: the first closer in it counts. The
        same holds for what is read after that, which keeps the time linear.
        """
        if source.ended:
            return (yield from source.until(self.closers))
        pieces: list[str] = []
        while True:
            pieces.append((yield from source.until(self._stops)))
            quote = self._quotes.get(source.here(self._stops))
            if quote is None:
                return "".join(pieces)
            quoted, is_whole = yield from quote.read(source)
            if not is_whole and (end := self.closers.search(quoted)) >= 0:
                source.put_back(quoted[end:])
                return "".join(pieces) + quoted[:end]
            pieces.append(quoted)


JSON_QUOTES = (Quote('"', '"', has_escapes=True), Quote("'", "'", has_escapes=True))
_QUOTE_OF = {quote.start: quote for quote in JSON_QUOTES}
_DEPTH_CHANGE = {"{": 1, "[": 1, "}": -1, "]": -1}
_STRUCTURE = Literals(*_QUOTE_OF, *_DEPTH_CHANGE)


def read_json(source: Source) -> Reading[str]:
    """Take a JSON object or array from its first bracket to its last, or to the end."""
    pieces: list[str] = []
    depth = 0
    while True:
        pieces.append((yield from source.until(_STRUCTURE)))
        found = source.here(_STRUCTURE)
        if quote := _QUOTE_OF.get(found):
            pieces.append((yield from quote.read(source))[0])
            continue
        pieces.append((yield from source.take(len(found))))
        depth += _DEPTH_CHANGE.get(found, 0)
        if depth <= 0 or not found:
            return "".join(pieces)
