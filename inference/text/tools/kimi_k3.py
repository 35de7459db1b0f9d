"""Kimi K3's markup: tags of special tokens, the arguments one by one or as one JSON object.

<|open|>tools<|sep|>
<|open|>call tool="NAME" index="0"<|sep|>
<|open|>argument key="KEY" type="string"<|sep|>VALUE<|close|>argument<|sep|>
<|close|>call<|sep|>
<|open|>call tool="NAME" index="1"<|sep|>
<|open|>json type="object"<|sep|>{"KEY": VALUE}<|close|>json<|sep|>
<|close|>call<|sep|>
<|close|>tools<|sep|>
"""

import re

from inference.text.tools.base import Opening, Rejected, Steps, ToolFormat
from inference.text.tools.envelope import arguments_of, call_for, repairs_at
from inference.text.tools.quoted import JSON_QUOTES, QuotedText
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source
from inference.text.tools.tags import Tag, TagGrammar, read_arguments, skip_block_end

_HEAD = re.compile(r"[^<]*")
_SEPARATOR = ("<|sep|>",)
_GRAMMAR = TagGrammar(
    call=Tag("<|open|>call", head=_HEAD, ends=_SEPARATOR, attribute="tool"),
    call_end="<|close|>call<|sep|>",
    argument=Tag("<|open|>argument", head=_HEAD, ends=_SEPARATOR, attribute="key"),
    argument_end="<|close|>argument<|sep|>",
    block_start="<|open|>tools<|sep|>",
    block_end="<|close|>tools<|sep|>",
)
_JSON = Tag("<|open|>json", head=_HEAD, ends=_SEPARATOR)
_JSON_END = "<|close|>json<|sep|>"
_JSON_TEXT = QuotedText((_JSON_END, _GRAMMAR.call_end), JSON_QUOTES)


def _read(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_GRAMMAR.block_start)
    yield from source.space()
    while (yield from source.skip(_GRAMMAR.call.start)):
        name = _GRAMMAR.call.name_in((yield from _GRAMMAR.call.read_head(source)))
        yield from source.space()
        if (yield from source.skip(_JSON.start)):
            yield from _read_json(name, source, tools)
        elif not (yield from read_arguments(_GRAMMAR, name, source, tools)):
            return
        yield from source.space()


def _read_json(name: str, source: Source, tools: ToolSchemas) -> Steps:
    yield from _JSON.read_head(source)
    text = yield from _JSON_TEXT.read(source)
    arguments = arguments_of(text, repairs_at(source))
    yield from source.skip(_JSON_END)
    yield from source.space()
    yield from source.skip(_GRAMMAR.call_end)
    yield from skip_block_end(_GRAMMAR, source)
    yield call_for(name, arguments, tools) or Rejected()


FORMAT = ToolFormat(
    name="kimi_k3",
    openings=(Opening(_GRAMMAR.block_start, _read),),
    markers=("<|open|>", "<|close|>", "<|sep|>"),
)
