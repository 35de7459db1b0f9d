"""Tools as people declare them, and calls as models write them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jobs.dataset.errors import InvalidInput
from jobs.dataset.parsing import json_text

MOST_TOOLS = 128
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_ENVELOPES = ("function", "tool_call", "function_call", "call")

Tool = dict[str, Any]
"""In OpenAI's form: `{"type": "function", "function": {"name": …}}`."""


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: dict[str, Any]


def read_tools(text: str) -> list[Tool]:
    """Parse an array of tools, or a single one, with or without their envelope.

    Raises InvalidInput, naming the field and the tool.
    """
    try:
        value = json_text.parse(text)
    except ValueError as error:
        raise InvalidInput(
            f"tools_json is not JSON ({error}): check brackets and quotes"
        ) from error
    items = value if isinstance(value, list) else [value]
    if not 1 <= len(items) <= MOST_TOOLS:
        raise InvalidInput(
            f"tools_json has {len(items):,} tools, and 1 to {MOST_TOOLS} are allowed"
        )
    return [_tool(item, number) for number, item in enumerate(items, start=1)]


def _tool(item: Any, number: int) -> Tool:
    function = item.get("function", item) if isinstance(item, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"tools_json: tool {number} is no object with a name")
    assert isinstance(function, dict)
    parameters = function.get("parameters", function.get("input_schema"))
    if parameters is None:
        parameters = {"type": "object", "properties": {}}
    if not isinstance(parameters, dict):
        raise InvalidInput(f"tools_json: the parameters of {name[:60]} are no JSON Schema")
    described = function.get("description")
    about = {"description": described} if isinstance(described, str) else {}
    return {"type": "function", "function": {"name": name, **about, "parameters": parameters}}


def find_call(text: str, names: Iterable[str]) -> Call | None:
    """Return the first JSON object in a text that calls one of the tools."""
    known = set(names)
    for value in json_text.find_values(text, "{"):
        if call := _call(value, known):
            return call
    return None


def _call(value: Any, names: set[str]) -> Call | None:
    for member in _ENVELOPES:
        if isinstance(value.get(member), dict):
            value = value[member]
    name = value.get("name")
    if not isinstance(name, str) or name not in names:
        return None
    arguments: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
    if isinstance(arguments, str):
        try:
            arguments = json_text.parse(arguments or "{}")
        except ValueError:
            return None
    return Call(name, arguments) if isinstance(arguments, dict) else None
