"""Calls as JSON objects with no tag around them, which small models write for their own format.

    {"name": NAME, "arguments": {KEY: VALUE}}

JSON is also an ordinary answer, so only the first object of an answer counts, or of what
follows a call, and only if it can mean nothing but a call of a known tool.
"""

import re
from collections.abc import Sequence

from inference.text.tools.base import Opening, ParsedCall, Steps
from inference.text.tools.envelope import call_of, repairs_at
from inference.text.tools.quoted import read_json
from inference.text.tools.repair import Step, decode_leniently
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Reading, Source

_FENCE = "```json"
_WORD = re.compile(r"\w*")
_QUOTES = Literals('"', "'")


class UnwrappedJson:
    """Reads one object, if it is a call.

    end: the format's closing tag, which models write without the opening one at times.
    arguments: the keys that only calls have; an object under `function` means the same.
    """

    def __init__(self, end: str, arguments: Sequence[str] = ("arguments",)) -> None:
        self._ends = Literals(end, "```")
        self._arguments = arguments
        self._first_keys = {"name", "function", "type", *arguments}
        self.openings = (Opening("{", self._read), Opening(_FENCE, self._read))

    def _read(self, source: Source, tools: ToolSchemas) -> Steps:
        yield from source.skip(_FENCE)
        yield from source.space()
        if not (yield from source.at("{")):
            return
        if (yield from _first_key(source)) not in self._first_keys:
            return
        text = yield from read_json(source)
        call = self._call_in(text, tools, repairs_at(source))
        if call is None:
            return
        space = yield from source.space()
        if not (yield from source.skip(self._ends)):
            source.put_back(space)
        yield call

    def _call_in(self, text: str, tools: ToolSchemas, repairs: Sequence[Step]) -> ParsedCall | None:
        try:
            value = decode_leniently(text, repairs)
        except ValueError:
            return None
        if not isinstance(value, dict):
            return None
        is_envelope = any(key in value for key in self._arguments)
        if not is_envelope and not isinstance(value.get("function"), dict):
            return None
        call = call_of(value, tools)
        return call if call is not None and tools.declares(call.name) else None


def _first_key(source: Source) -> Reading[str]:
    """Return the first key of the object ahead. Takes nothing."""
    head = (yield from source.take(1)) + (yield from source.space())
    quote = yield from source.skip(_QUOTES)
    key = yield from source.run(_WORD)
    source.put_back(head + quote + key)
    return key
