"""MiniCPM5's XML, in which CDATA keeps text from being read as tags.

<function name="NAME"><param name="KEY">VALUE</param></function>
<function name="NAME"><param name="KEY"><![CDATA[VALUE]]></param></function>
"""

import re
from xml.sax.saxutils import unescape

from inference.text.tools.base import Opening, Steps, ToolFormat
from inference.text.tools.quoted import Quote
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source
from inference.text.tools.tags import Tag, TagGrammar, read_call
from inference.text.tools.unwrapped_json import UnwrappedJson

_CDATA = Quote("<![CDATA[", "]]>")
_PARTS = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_ENTITIES = {"&quot;": '"', "&apos;": "'"}


def _decode(value: str) -> str:
    """Take CDATA as it is and entities elsewhere; blank text beside CDATA is layout."""
    parts = _PARTS.split(value)
    for index in range(0, len(parts), 2):
        is_layout = len(parts) > 1 and not parts[index].strip()
        parts[index] = "" if is_layout else unescape(parts[index], _ENTITIES)
    return "".join(parts)


_GRAMMAR = TagGrammar(
    call=Tag("<function", attribute="name"),
    call_end="</function>",
    argument=Tag("<param", attribute="name"),
    argument_end="</param>",
    verbatim=_CDATA,
    decode=_decode,
)


def _read(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_GRAMMAR.call.start)
    yield from read_call(_GRAMMAR, source, tools)


FORMAT = ToolFormat(
    name="minicpm5",
    openings=(Opening(_GRAMMAR.call.start, _read),),
    unwrapped=UnwrappedJson(_GRAMMAR.call_end).openings,
    markers=("</function>", "<param", "</param>"),
)
