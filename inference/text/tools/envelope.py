"""Calls that are JSON objects: a name and arguments, in the shapes that models give them."""

from collections.abc import Sequence
from typing import Any

from inference.text.tools.base import ParsedCall
from inference.text.tools.repair import CUT_OFF_STEPS, ENVELOPE_STEPS, Step, decode_leniently
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source

_ENVELOPE_KEYS = {"name", "function", "parameters", "id", "type", "index"}


def repairs_at(source: Source) -> Sequence[Step]:
    """Return how JSON may be mended that was read up to where `source` stands."""
    return CUT_OFF_STEPS if source.exhausted else ENVELOPE_STEPS


def calls_in(text: str, tools: ToolSchemas, repairs: Sequence[Step]) -> list[ParsedCall]:
    """Return the calls of a JSON object, or of a list of them; none if any is no call."""
    try:
        value = decode_leniently(text, repairs)
    except ValueError:
        return []
    calls = [call_of(item, tools) for item in (value if isinstance(value, list) else [value])]
    known = [call for call in calls if call is not None]
    return known if len(known) == len(calls) else []


def call_of(value: Any, tools: ToolSchemas) -> ParsedCall | None:
    """Return the call that a decoded envelope describes; None if it is none of a known tool."""
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    envelope = function if isinstance(function, dict) else value
    arguments = arguments_of(_given(envelope))
    if arguments is None:
        return None
    name = envelope.get("name", function)
    if not isinstance(name, str):
        name, arguments = _lift_name(arguments)
    return call_for(name, arguments, tools)


def call_for(name: Any, arguments: Any, tools: ToolSchemas) -> ParsedCall | None:
    """Return a call with JSON arguments; None unless the tool is known and they are an object."""
    if not isinstance(name, str) or name not in tools or not isinstance(arguments, dict):
        return None
    return ParsedCall(name, tools.fit(name, arguments))


def arguments_of(value: Any, repairs: Sequence[Step] = ENVELOPE_STEPS) -> dict[str, Any] | None:
    """Return arguments given as an object, as JSON text or as nothing; None for all else."""
    if isinstance(value, str) and value.strip():
        try:
            value = decode_leniently(value, repairs)
        except ValueError:
            return None
    if value is None or isinstance(value, str):
        return {}
    return value if isinstance(value, dict) else None


def _given(envelope: dict[str, Any]) -> Any:
    if "arguments" in envelope:
        return envelope["arguments"]
    # With a description beside it, `parameters` is a schema: the tool itself, repeated.
    # Without either, keys of other meaning are arguments that nobody can place.
    return envelope.get("parameters") if envelope.keys() <= _ENVELOPE_KEYS else False


def _lift_name(arguments: dict[str, Any]) -> tuple[Any, Any]:
    """Take the name out of the arguments, and the arguments out of those that nest again."""
    rest = {key: value for key, value in arguments.items() if key != "name"}
    nested = rest.get("arguments") if len(rest) == 1 else None
    return arguments.get("name"), nested if isinstance(nested, dict) else rest
