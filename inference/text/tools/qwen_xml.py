"""Qwen's XML, as Qwen3-Coder and later models write calls.

    <tool_call>
    <function=NAME>
    <parameter=KEY>
    VALUE
    </parameter>
    </function>
    </tool_call>

The newline on either side of a value is the template's; all else in it is the model's, byte
for byte. Models forget the outer tag at times, and fall back to JSON within it.
"""

import re

from inference.text.tools.base import Opening, Steps, ToolFormat
from inference.text.tools.json_body import JsonBody
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source
from inference.text.tools.tags import Tag, TagGrammar, read_block, read_call
from inference.text.tools.unwrapped_json import UnwrappedJson


def _without_frame(value: str) -> str:
    return value.removeprefix("\n").removesuffix("\n")


_NAME = re.compile(r"[^\s<>]*")
_GRAMMAR = TagGrammar(
    call=Tag("<function=", head=_NAME),
    call_end="</function>",
    argument=Tag("<parameter=", head=_NAME),
    argument_end="</parameter>",
    block_start="<tool_call>",
    block_end="</tool_call>",
    decode=_without_frame,
)
_JSON = JsonBody(_GRAMMAR.block_start, _GRAMMAR.block_end)


def _read_wrapped(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_GRAMMAR.block_start)
    yield from source.space()
    if (yield from source.at(_GRAMMAR.call.start)):
        yield from read_block(_GRAMMAR, source, tools)
    else:
        yield from _JSON.read(source, tools)


def _read_bare(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_GRAMMAR.call.start)
    yield from read_call(_GRAMMAR, source, tools)


FORMAT = ToolFormat(
    name="qwen_xml",
    openings=(
        Opening(_GRAMMAR.block_start, _read_wrapped),
        Opening(_GRAMMAR.call.start, _read_bare),
    ),
    unwrapped=UnwrappedJson(_GRAMMAR.block_end).openings,
    markers=(_GRAMMAR.block_end,),
)
