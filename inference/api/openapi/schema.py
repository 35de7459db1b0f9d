"""The words in which bodies are described: JSON Schemas as plain values, put together.

The dialect is JSON Schema 2020-12, which OpenAPI 3.1 took over; keywords are passed on as they
are spelled there. A request's optional members take null, which is the same as leaving them out
(`fields`); an answer has exactly the members it is said to have (`record`).
"""

from collections.abc import Iterable, Mapping
from typing import Any

Schema = dict[str, Any]

NULL: Schema = {"type": "null"}


class Component(dict[str, Any]):
    """A reference to a schema that has a name in the document.

    Used like any schema; `components` finds what the references in a document mean.
    """

    def __init__(self, name: str, schema: Schema) -> None:
        super().__init__({"$ref": f"#/components/schemas/{name}"})
        self.name = name
        self.schema = schema


def components(value: object) -> dict[str, Schema]:
    """Return every schema that is referred to in `value`, or by what is found there, by name.

    Raises ValueError if two schemas share a name.
    """
    found: dict[str, Schema] = {}
    _collect(value, found)
    return found


def anything(description: str, **keywords: Any) -> Schema:
    return {"description": description, **keywords}


def text(description: str = "", **keywords: Any) -> Schema:
    return _schema("string", description, keywords)


def word(*words: str, description: str = "", **keywords: Any) -> Schema:
    """One of a few strings."""
    return _schema("string", description, {"enum": list(words), **keywords})


def boolean(description: str = "", **keywords: Any) -> Schema:
    return _schema("boolean", description, keywords)


def integer(description: str = "", **keywords: Any) -> Schema:
    return _schema("integer", description, keywords)


def number(description: str = "", **keywords: Any) -> Schema:
    return _schema("number", description, keywords)


def array(items: Schema, description: str = "", **keywords: Any) -> Schema:
    return _schema("array", description, {"items": items, **keywords})


def either(*options: Schema, description: str = "", **keywords: Any) -> Schema:
    """Any one of several schemas."""
    return {**_described(description), "anyOf": list(options), **keywords}


def or_null(schema: Schema) -> Schema:
    """Return `schema`, with null allowed as well."""
    if isinstance(schema, Component):
        return either(schema, NULL)
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], NULL]}
    if "type" not in schema:
        return schema
    nullable = {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        nullable["enum"] = [*schema["enum"], None]
    return nullable


def fields(
    description: str = "",
    *,
    required: Mapping[str, Schema] | None = None,
    optional: Mapping[str, Schema] | None = None,
    **keywords: Any,
) -> Schema:
    """An object of a request; members that are not named are ignored."""
    needed, others = dict(required or {}), optional or {}
    properties = {**needed, **{name: or_null(schema) for name, schema in others.items()}}
    return _object(description, properties, needed, keywords)


def record(
    description: str = "",
    *,
    members: Mapping[str, Schema],
    optional: Mapping[str, Schema] | None = None,
) -> Schema:
    """An object of an answer. optional: members that are there only if they say something."""
    return _object(description, {**members, **(optional or {})}, members, {})


def _object(
    description: str,
    properties: Mapping[str, Schema],
    required: Mapping[str, Schema],
    keywords: Mapping[str, Any],
) -> Schema:
    needed = {"required": list(required)} if required else {}
    return _schema("object", description, {"properties": properties, **needed, **keywords})


def _schema(kind: str, description: str, keywords: Mapping[str, Any]) -> Schema:
    return {"type": kind, **_described(description), **keywords}


def _described(description: str) -> Schema:
    return {"description": description} if description else {}


def _collect(value: object, found: dict[str, Schema]) -> None:
    if not isinstance(value, Component):
        for child in _children(value):
            _collect(child, found)
    elif value.name not in found:
        found[value.name] = value.schema
        _collect(value.schema, found)
    elif found[value.name] is not value.schema:
        raise ValueError(f"two schemas are named {value.name}")


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
