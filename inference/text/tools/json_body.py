"""JSON in the body of a tag: the one reader for every format that may hold some."""

from inference.text.tools.base import Steps
from inference.text.tools.envelope import calls_in, repairs_at
from inference.text.tools.quoted import JSON_QUOTES, QuotedText
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Source

# Characters of prose before the JSON; with more, the tag itself was only spoken of.
_MAX_PROSE = 200


class JsonBody:
    """Reads envelopes between a pair of tags.

    A model that forgets the closing tag begins the next call, or comes to its end.
    """

    def __init__(self, start: str, end: str) -> None:
        self._end = end
        self._first = Literals("{", "[", end, start)
        self._text = QuotedText((end, start), JSON_QUOTES)

    def read(self, source: Source, tools: ToolSchemas) -> Steps:
        """Read what is behind the opening tag, to the closing one."""
        prose = yield from source.until(self._first, limit=_MAX_PROSE)
        if not source.here(self._first) and not source.exhausted:
            return
        body = prose + (yield from self._text.read(source))
        repairs = repairs_at(source)
        yield from source.skip(self._end)
        yield from calls_in(body, tools, repairs)
