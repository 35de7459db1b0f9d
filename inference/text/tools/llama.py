"""Llama 3's calls: a JSON object without tags, which may follow a special token.

{"name": "NAME", "parameters": {"KEY": VALUE}}
<|python_tag|>{"name": "NAME", "parameters": {"KEY": VALUE}}
"""

from inference.text.tools.base import Opening, Steps, ToolFormat
from inference.text.tools.envelope import calls_in, repairs_at
from inference.text.tools.quoted import read_json
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source
from inference.text.tools.unwrapped_json import UnwrappedJson

_START, _END = "<|python_tag|>", "<|eom_id|>"


def _read(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_START)
    yield from source.space()
    if (yield from source.at("{")):
        text = yield from read_json(source)
        yield from calls_in(text, tools, repairs_at(source))


FORMAT = ToolFormat(
    name="llama",
    openings=(Opening(_START, _read),),
    unwrapped=UnwrappedJson(_END, ("parameters", "arguments")).openings,
)
