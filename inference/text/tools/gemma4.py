"""Gemma 4's calls: an object with bare keys, its strings between special tokens.

    <|tool_call>call:NAME{KEY:<|"|>TEXT<|"|>,KEY:[1,true]}<tool_call|>

All markers are special tokens, which decoding has to spell out.
"""

import re
from typing import Any

from inference.text.tools.base import Opening, ParsedCall, Steps, ToolFormat
from inference.text.tools.json_values import decode
from inference.text.tools.literals import LiteralReader
from inference.text.tools.quoted import Quote, QuotedText
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source

_NAME = re.compile(r"[^\s{}]*")
_JSON_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


class _CallReader(LiteralReader):
    def __init__(self, text: str, quote: str, tools: ToolSchemas) -> None:
        super().__init__(text)
        self._quote = quote
        self._tools = tools

    def read_call(self) -> ParsedCall | None:
        """Take a call; None if no tool has its name."""
        self.skip("call:")
        name = self.read(_NAME)
        if not self.skip("{"):
            raise ValueError("an object of arguments was expected")
        arguments: dict[str, Any] = {}
        while not self.skip("}") and (key := self.read_key()):
            arguments[key] = self._read_argument(name, key)
            self.skip(",")
        self.skip_space()
        known = name in self._tools
        return ParsedCall(name, self._tools.fit(name, arguments)) if known else None

    def _read_argument(self, name: str, key: str) -> Any:
        string = self.read_string()
        if string is not None:
            return string
        word = self.read(self.word).strip()
        return self._tools.read_text(name, key, word) if word else self.read_value()

    def read_string(self) -> str | None:
        if self.skip(self._quote):
            end = self._text.find(self._quote, self._at)
            string = self._text[self._at : end if end >= 0 else None]
            self._at += len(string)
            self.skip(self._quote)
            return string
        string = self.read(_JSON_STRING)
        return str(decode(string)) if string else None

    def value_of(self, word: str) -> Any:
        if not word:
            raise ValueError("a value was expected")
        try:
            return decode(word)
        except ValueError:
            return word


def object_format(name: str, *, start: str, end: str, quote: str) -> ToolFormat:
    """Return a format with these markers around a call and around its strings."""
    body = QuotedText((end, start), (Quote(quote, quote),))

    def read(source: Source, tools: ToolSchemas) -> Steps:
        yield from source.skip(start)
        reader = _CallReader((yield from body.read(source)), quote, tools)
        yield from source.skip(end)
        try:
            calls = [reader.read_call()]
            while not reader.is_at_end:
                calls.append(reader.read_call())
        except ValueError:
            return
        known = [call for call in calls if call is not None]
        if len(known) == len(calls):
            yield from known

    return ToolFormat(name=name, openings=(Opening(start, read),), markers=(end, quote))


FORMAT = object_format("gemma4", start="<|tool_call>", end="<tool_call|>", quote='<|"|>')
