"""Mistral's calls behind one special token: a JSON list, or a name with JSON arguments.

    [TOOL_CALLS] [{"name": "NAME", "arguments": {"KEY": VALUE}, "id": "..."}]
    [TOOL_CALLS]NAME[ARGS]{"KEY": VALUE}
    [TOOL_CALLS]NAME[CALL_ID]...[ARGS]{"KEY": VALUE}

Nothing closes a call but its last bracket.
"""

import re

from inference.text.tools.base import Opening, Rejected, Steps, ToolFormat
from inference.text.tools.envelope import arguments_of, call_for, calls_in, repairs_at
from inference.text.tools.quoted import read_json
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Source

_START, _CALL_ID, _ARGUMENTS = "[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"
_NAME = re.compile(r"[\w.-]*")
_HEAD_ENDS = Literals(_CALL_ID, _ARGUMENTS)
_BRACKET = Literals("[", "{")


def _read(source: Source, tools: ToolSchemas) -> Steps:
    yield from source.skip(_START)
    yield from source.space()
    if (yield from source.at(_BRACKET)):
        text = yield from read_json(source)
        yield from calls_in(text, tools, repairs_at(source))
        return
    while True:
        name = yield from source.run(_NAME)
        yield from source.space()
        if not name or not (yield from source.at(_HEAD_ENDS)):
            return
        if (yield from source.skip(_CALL_ID)):
            yield from source.run(_NAME)
        yield from source.skip(_ARGUMENTS)
        yield from source.space()
        if not (yield from source.at("{")) and not source.exhausted:
            return
        text = yield from read_json(source)
        arguments = arguments_of(text, repairs_at(source))
        yield call_for(name, arguments, tools) or Rejected()
        yield from source.space()


FORMAT = ToolFormat(
    name="mistral",
    openings=(Opening(_START, _read),),
    markers=(_CALL_ID, _ARGUMENTS),
)
