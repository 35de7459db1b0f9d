"""Two flat schemas as one that accepts what both accept."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import checked_map

Flat = dict[str, Any]

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")


def types_of(flat: Flat) -> set[str]:
    """Return the types that a flat schema allows; `number` includes `integer`."""
    value = flat.get("type", list(TYPES))
    names = value if isinstance(value, list) else [value]
    for name in names:
        if name not in TYPES:
            raise NotExpressible(f"{name!r} is no type of JSON Schema")
    return set(names) | ({"integer"} if "number" in names else set())


def values_of(flat: Flat) -> list[Any] | None:
    """Return the values that `enum` and `const` leave; None where neither is given."""
    listed: list[Any] | None = flat.get("enum")
    if "const" not in flat:
        return listed
    constant = flat["const"]
    if listed is not None and identity(constant) not in map(identity, listed):
        return []
    return [constant]


def identity(value: Any) -> str:
    """Return a text that is equal for values that JSON Schema holds equal."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def merge(left: Flat, right: Flat) -> Flat | None:
    """Return the conjunction of two flat schemas; None if it is seen to accept nothing."""
    merged = {**left, **right}
    for keyword in left.keys() & right.keys():
        if left[keyword] != right[keyword] and keyword in _JOIN:
            merged[keyword] = _JOIN[keyword](left[keyword], right[keyword])
    if "type" in merged:
        types = types_of(left) & types_of(right)
        if not types:
            return None
        merged["type"] = sorted(types, key=TYPES.index)
    if "enum" in merged or "const" in merged:
        merged["enum"] = _common(values_of(left), values_of(right))
        merged.pop("const", None)
    _join_members(left, right, merged)
    _join_items(left, right, merged)
    return merged


def disjoint(left: Flat, right: Flat) -> bool:
    """Tell whether two flat schemas clearly have no value in common."""
    if not types_of(left) & types_of(right):
        return True
    mine, theirs = values_of(left), values_of(right)
    if mine is not None and theirs is not None:
        return not _common(mine, theirs)
    if types_of(left) != {"object"} or types_of(right) != {"object"}:
        return False
    shared = set(left.get("required", ())) & set(right.get("required", ()))
    return any(_apart(_property(left, name), _property(right, name)) for name in sorted(shared))


def both(left: Any, right: Any) -> Any:
    """Return a schema that asks for two others."""
    if left == right or right is True:
        return left
    return right if left is True else {"allOf": [left, right]}


def _property(flat: Flat, name: str) -> Any:
    return flat.get("properties", {}).get(name, True)


def _apart(left: Any, right: Any) -> bool:
    if not (isinstance(left, Mapping) and isinstance(right, Mapping)):
        return False
    if {"$ref", "allOf", "anyOf", "oneOf"} & (left.keys() | right.keys()):
        return False
    return disjoint(dict(left), dict(right))


def _common(left: list[Any] | None, right: list[Any] | None) -> list[Any]:
    if left is None or right is None:
        return left or right or []
    known = {identity(value) for value in right}
    return [value for value in left if identity(value) in known]


def _join_members(left: Flat, right: Flat, merged: Flat) -> None:
    """Join what two schemas say of an object's members.

    `additionalProperties` of one speaks of the properties that only the other lists.
    """
    if not any(key in merged for key in ("properties", "patternProperties")):
        return
    mine = checked_map(left.get("properties", {}), "properties")
    theirs = checked_map(right.get("properties", {}), "properties")
    merged["properties"] = {
        name: both(_said_of(name, left, mine), _said_of(name, right, theirs))
        for name in {**mine, **theirs}
    }
    patterns = checked_map(left.get("patternProperties", {}), "patternProperties")
    for pattern, schema in checked_map(
        right.get("patternProperties", {}), "patternProperties"
    ).items():
        patterns[pattern] = both(patterns.get(pattern, True), schema)
    if patterns:
        merged["patternProperties"] = patterns


def _said_of(name: str, flat: Flat, properties: Mapping[str, Any]) -> Any:
    if name in properties:
        return properties[name]
    # A pattern might match the name, in which case it alone speaks of it.
    return True if "patternProperties" in flat else flat.get("additionalProperties", True)


def _join_items(left: Flat, right: Flat, merged: Flat) -> None:
    mine, theirs = left.get("prefixItems", []), right.get("prefixItems", [])
    if (mine and theirs) or ("items" in left and "items" in right):
        rest = [left.get("items", True), right.get("items", True)]
        merged["prefixItems"] = [
            both(mine[i] if i < len(mine) else rest[0], theirs[i] if i < len(theirs) else rest[1])
            for i in range(max(len(mine), len(theirs)))
        ]
        merged["items"] = both(*rest)
    elif (mine and "items" in right) or (theirs and "items" in left):
        other = right if mine else left
        merged["prefixItems"] = [both(one, other["items"]) for one in mine or theirs]


def _union(left: Any, right: Any) -> Any:
    return [*left, *(name for name in right if name not in left)]


def _listed(left: Any, right: Any) -> list[Any]:
    """Keep both of two patterns or formats; a text must satisfy each."""
    return [*_as_list(left), *_as_list(right)]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _common_multiple(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        return math.lcm(left, right)
    raise NotExpressible(f"multipleOf {left} and {right} together")


_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "minimum": max,
    "exclusiveMinimum": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "multipleOf": _common_multiple,
    "minLength": max,
    "maxLength": min,
    "pattern": _listed,
    "format": _listed,
    "minItems": max,
    "maxItems": min,
    "minProperties": max,
    "maxProperties": min,
    "required": _union,
    "additionalProperties": both,
    "propertyNames": both,
    "uniqueItems": lambda left, right: left or right,
}
