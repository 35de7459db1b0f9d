"""Kimi K2's sections: JSON arguments behind a numbered name, between special tokens.

<|tool_calls_section_begin|>
<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{"KEY": VALUE}<|tool_call_end|>
<|tool_calls_section_end|>
"""

import re

from inference.text.tools.base import Opening, Rejected, Steps, ToolFormat
from inference.text.tools.envelope import arguments_of, call_for, repairs_at
from inference.text.tools.quoted import JSON_QUOTES, QuotedText
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Source

_SECTION, _SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
_CALL, _CALL_END = "<|tool_call_begin|>", "<|tool_call_end|>"
_ARGUMENTS = "<|tool_call_argument_begin|>"

_NUMBER = re.compile(r":\d+\Z")
_HEAD = Literals(_ARGUMENTS, _CALL, _CALL_END, _SECTION_END)
_BODY = QuotedText((_CALL, _CALL_END, _SECTION_END), JSON_QUOTES)


def _read_section(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_SECTION)
    yield from source.space()
    while (yield from source.at(_CALL)):
        yield from _read_call(source, tools)
        yield from source.space()


def _read_call(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_CALL)
    head = yield from source.until(_HEAD)
    yield from source.skip(_ARGUMENTS)
    body = yield from _BODY.read(source)
    arguments = arguments_of(body, repairs_at(source))
    yield from source.skip(_CALL_END)
    yield from source.space()
    yield from source.skip(_SECTION_END)
    name = _NUMBER.sub("", head.strip().removeprefix("functions."))
    yield call_for(name, arguments, tools) or Rejected()


FORMAT = ToolFormat(
    name="kimi_k2",
    openings=(Opening(_SECTION, _read_section), Opening(_CALL, _read_call)),
    markers=(_ARGUMENTS, _CALL_END, _SECTION_END),
)
