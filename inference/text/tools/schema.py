"""What a request's tools say of their arguments: the type that text in an argument stands for.

Schemas come from callers and may be anything; what is not understood says nothing.
"""

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any
from urllib.parse import unquote

from inference.text.tools.json_values import decode, type_of
from inference.text.tools.repair import VALUE_STEPS, decode_leniently

# Names of JSON types; None is any of them.
Types = frozenset[str] | None

_TEXT = frozenset({"string", "null"})
_TYPES = _TEXT | {"boolean", "integer", "number", "array", "object"}
_MAX_DEPTH = 20
_NAME = re.compile(r"[\w.:/-]{1,128}")  # of a tool, as models make them up
_NOTHING: Mapping[str, Any] = {}


class ToolSchemas:
    """The tools of one request, by name, as schemas of their arguments.

    tools: in OpenAI's shape, `{"type": "function", "function": {"name", "parameters"}}`.
    any_name: whether what is called by another name is a call as well, where markup says that
        it is one.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]], *, any_name: bool = False) -> None:
        self._any_name = any_name
        self._readers: dict[str, _TypeReader] = {}
        for tool in tools:
            function = _mapping(tool.get("function"))
            if isinstance(name := function.get("name"), str):
                self._readers[name] = _TypeReader(_mapping(function.get("parameters")))

    def __contains__(self, name: str) -> bool:
        return self.declares(name) or (self._any_name and _NAME.fullmatch(name) is not None)

    def declares(self, name: str) -> bool:
        """Whether there is a tool of that name."""
        return name in self._readers

    def read_text(self, tool: str, argument: str, text: str) -> Any:
        """Return the value of an argument that the markup holds as raw text.

        Text stays text where nothing else is allowed. Elsewhere it is JSON if it can be, in
        Python's spelling too where text is not allowed, and text otherwise.
        """
        types = self._types(tool, argument)
        if types is not None and "string" in types and types <= _TEXT:
            return text
        may_be_text = types is None or "string" in types
        try:
            value = decode(text) if may_be_text else decode_leniently(text, VALUE_STEPS)
        except ValueError:
            return text
        if types is not None and may_be_text and (isinstance(value, str) or not _is(value, types)):
            return text
        return value

    def fit(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return JSON arguments, with strings decoded that only so have an allowed type."""
        return {key: self._fit_value(tool, key, value) for key, value in arguments.items()}

    def _fit_value(self, tool: str, argument: str, value: Any) -> Any:
        types = self._types(tool, argument)
        if not isinstance(value, str) or types is None or "string" in types:
            return value
        try:
            decoded = decode_leniently(value, VALUE_STEPS)
        except ValueError:
            return value
        return decoded if _is(decoded, types) else value

    def _types(self, tool: str, argument: str) -> Types:
        reader = self._readers.get(tool)
        return reader.of_argument(argument) if reader else None


class _TypeReader:
    """Reads types off the schemas within one root; each schema is looked at once."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._known: dict[int, Types] = {}

    def of_argument(self, name: str) -> Types:
        schema = self._target(self._root)
        properties = _mapping(schema.get("properties"))
        return self._types(properties.get(name, schema.get("additionalProperties")), _MAX_DEPTH)

    def _types(self, schema: Any, depth: int) -> Types:
        schema = self._target(_mapping(schema))
        if depth and id(schema) not in self._known:
            self._known[id(schema)] = None  # for a schema that contains itself
            self._known[id(schema)] = self._read(schema, depth - 1)
        return self._known.get(id(schema))

    def _read(self, schema: Mapping[str, Any], depth: int) -> Types:
        names = schema.get("type")
        if isinstance(names, str):
            names = [names]
        if isinstance(names, list) and names:
            return frozenset(names) if all(_is_type_name(name) for name in names) else None
        if "const" in schema:
            return frozenset({type_of(schema["const"])})
        if isinstance(values := schema.get("enum"), list) and values:
            return frozenset(map(type_of, values))
        for key, combine in (("anyOf", _either), ("oneOf", _either), ("allOf", _both)):
            if isinstance(members := schema.get(key), list) and members:
                return reduce(combine, [self._types(member, depth) for member in members])
        if "properties" in schema:
            return frozenset({"object"})
        return frozenset({"array"}) if "items" in schema else None

    def _target(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow references within the root to a schema that is none."""
        for _ in range(_MAX_DEPTH):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            found: Any = self._root
            for part in unquote(reference).removeprefix("#").split("/")[1:]:
                found = _mapping(found).get(part.replace("~1", "/").replace("~0", "~"))
            schema = _mapping(found)
        return _NOTHING


def _either(one: Types, other: Types) -> Types:
    return None if one is None or other is None else one | other


def _both(one: Types, other: Types) -> Types:
    return one if other is None else other if one is None else one & other


def _is(value: Any, types: frozenset[str]) -> bool:
    name = type_of(value)
    return name in types or (name == "integer" and "number" in types)


def _is_type_name(name: Any) -> bool:
    return isinstance(name, str) and name in _TYPES


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else _NOTHING
