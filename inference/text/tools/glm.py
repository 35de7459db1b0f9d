"""GLM's pairs of keys and values, from GLM 4.5 on.

    <tool_call>NAME
    <arg_key>KEY</arg_key>
    <arg_value>VALUE</arg_value>
    </tool_call>

A value stands between its tags without any framing. Models fall back to JSON at times.
"""

import re

from inference.text.tools.base import Opening, Steps, ToolFormat
from inference.text.tools.json_body import JsonBody
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Source
from inference.text.tools.tags import Tag, TagGrammar, read_call
from inference.text.tools.unwrapped_json import UnwrappedJson

_BEGINS_JSON = Literals("{", "[", "```")


def pair_format(name: str, *, prefix: str) -> ToolFormat:
    """Return the format with `prefix` before the name of every tag."""
    key_end, value_start = f"</{prefix}arg_key>", f"<{prefix}arg_value>"
    grammar = TagGrammar(
        call=Tag(f"<{prefix}tool_call>", head=re.compile(r"[^\s<]*"), ends=()),
        call_end=f"</{prefix}tool_call>",
        argument=Tag(
            f"<{prefix}arg_key>",
            head=re.compile(r"[^<]*"),
            ends=(key_end, value_start),
        ),
        argument_end=f"</{prefix}arg_value>",
    )
    json = JsonBody(grammar.call.start, grammar.call_end)

    def read(source: Source, tools: ToolSchemas) -> Steps:
        yield from source.skip(grammar.call.start)
        yield from source.space()
        if (yield from source.at(_BEGINS_JSON)):
            yield from json.read(source, tools)
        else:
            yield from read_call(grammar, source, tools)

    return ToolFormat(
        name=name,
        openings=(Opening(grammar.call.start, read),),
        unwrapped=UnwrappedJson(grammar.call_end).openings,
        markers=(
            grammar.call_end,
            grammar.argument.start,
            key_end,
            value_start,
            grammar.argument_end,
        ),
    )


FORMAT = pair_format("glm", prefix="")
