"""JSON between tags, as Hermes and Qwen3 models write calls.

<tool_call>
{"name": "NAME", "arguments": {"KEY": VALUE}}
</tool_call>
"""

from inference.text.tools.base import Opening, Steps, ToolFormat
from inference.text.tools.json_body import JsonBody
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source
from inference.text.tools.unwrapped_json import UnwrappedJson

_START = "<tool_call>"
_END = "</tool_call>"
_BODY = JsonBody(_START, _END)


def _read(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_START)
    yield from _BODY.read(source, tools)


FORMAT = ToolFormat(
    name="json_tags",
    openings=(Opening(_START, _read),),
    unwrapped=UnwrappedJson(_END).openings,
    markers=(_END,),
)
