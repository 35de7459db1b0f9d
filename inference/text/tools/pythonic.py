"""Calls in Python's syntax, as LFM2 models write them. Literals are read, never evaluated.

<|tool_call_start|>[NAME(KEY="TEXT", KEY=[1, True]), NAME()]<|tool_call_end|>
"""

import re
from typing import Any, ClassVar

from inference.text.tools.base import Opening, ParsedCall, Steps, ToolFormat
from inference.text.tools.json_values import decode
from inference.text.tools.literals import LiteralReader
from inference.text.tools.quoted import JSON_QUOTES, QuotedText
from inference.text.tools.repair import STRING, close_string, to_json_string
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source

_START, _END = "<|tool_call_start|>", "<|tool_call_end|>"
_BODY = QuotedText((_END, _START), JSON_QUOTES)
_NAME = re.compile(r"[\w.-]*")
_WORDS = {"True": True, "False": False, "None": None}


class _CallReader(LiteralReader):
    closers: ClassVar = {"{": "}", "[": "]", "(": ")"}
    word: ClassVar = re.compile(r"[^,{}\[\]()]*")

    def read_calls(self, tools: ToolSchemas) -> list[ParsedCall]:
        """Take a list of calls, which is all there is; none if any tool is unknown."""
        if not self.skip("["):
            raise ValueError("a list of calls was expected")
        calls: list[ParsedCall] = []
        while not self.skip("]") and not self.is_at_end:
            name = self.read(_NAME)
            if not self.skip("("):
                raise ValueError("arguments in parentheses were expected")
            calls.append(ParsedCall(name, tools.fit(name, self._read_arguments())))
            self.skip(",")
        self.skip_space()
        return calls if self.is_at_end and all(call.name in tools for call in calls) else []

    def _read_arguments(self) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        while not self.skip(")"):
            key = self.read(_NAME)
            has_value = self.skip("=")
            self.skip_space()
            if self.is_at_end:
                break
            if not key or not has_value:
                raise ValueError("an argument with its name was expected")
            arguments[key] = self.read_value()
            self.skip(",")
        return arguments

    def read_string(self) -> str | None:
        literal = self.read(STRING)
        return str(decode(to_json_string(close_string(literal)))) if literal else None

    def value_of(self, word: str) -> Any:
        return _WORDS[word] if word in _WORDS else decode(word)


def _read(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_START)
    reader = _CallReader((yield from _BODY.read(source)))
    yield from source.skip(_END)
    try:
        calls = reader.read_calls(tools)
    except ValueError:
        return
    yield from calls


FORMAT = ToolFormat(
    name="pythonic",
    openings=(Opening(_START, _read),),
    markers=(_END,),
)
