"""Two flat schemas as one that accepts what both accept."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.named import Members, all_of

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


def type_of(value: Any) -> str:
    """Return the narrowest type of a value."""
    match value:
        case bool():
            return "boolean"
        case None:
            return "null"
        case str():
            return "string"
        case int() | float():
            return "integer" if isinstance(value, int) or value.is_integer() else "number"
    return "array" if isinstance(value, list) else "object"


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
    return json.dumps(_with_integers(value), sort_keys=True)


def _with_integers(value: Any) -> Any:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_with_integers(one) for one in value]
        case Mapping():
            return {name: _with_integers(one) for name, one in value.items()}
    return value


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
    _join_items(left, right, merged)
    return merged


def disjoint(left: Flat, right: Flat) -> bool:
    """Tell whether two flat schemas clearly have no value in common."""
    if not _possible_types(left) & _possible_types(right):
        return True
    mine, theirs = values_of(left), values_of(right)
    if mine is not None and theirs is not None:
        return not _common(mine, theirs)
    if types_of(left) != {"object"} or types_of(right) != {"object"}:
        return False
    shared = set(left.get("required", ())) & set(right.get("required", ()))
    return any(
        _apart(mine, theirs)
        for name in sorted(shared)
        for mine in _said_of(left, name)
        for theirs in _said_of(right, name)
    )


def _possible_types(flat: Flat) -> set[str]:
    values = values_of(flat)
    types = types_of(flat)
    return types if values is None else types & set(map(type_of, values))


def _said_of(flat: Flat, name: str) -> list[Any]:
    said: tuple[Members, ...] = flat.get("members", ())
    return [one.properties[name] for one in said if name in one.properties]


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


def _join_items(left: Flat, right: Flat, merged: Flat) -> None:
    mine, theirs = left.get("prefixItems", []), right.get("prefixItems", [])
    if (mine and theirs) or ("items" in left and "items" in right):
        rest = [left.get("items", True), right.get("items", True)]
        pairs = zip_longest(mine, theirs, fillvalue=None)
        merged["prefixItems"] = [
            all_of(other if one is None else one for one, other in zip(pair, rest, strict=True))
            for pair in pairs
        ]
        merged["items"] = all_of(rest)
    elif (mine and "items" in right) or (theirs and "items" in left):
        other = right if mine else left
        merged["prefixItems"] = [all_of((one, other["items"])) for one in mine or theirs]


def _listed(left: Any, right: Any) -> list[Any]:
    """Keep both of two patterns or formats; a text must satisfy each."""
    return [*_as_list(left), *_as_list(right)]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _common_multiple(left: Any, right: Any) -> Decimal:
    first, second = Fraction(str(left)), Fraction(str(right))
    scale = math.lcm(first.denominator, second.denominator)
    return Decimal(math.lcm(int(first * scale), int(second * scale))) / scale


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
    "required": lambda left, right: list(dict.fromkeys([*left, *right])),
    "members": lambda left, right: (*left, *right),
    "excluded": lambda left, right: [*left, *right],
    "excludedPatterns": lambda left, right: [*left, *right],
    "propertyNames": lambda left, right: all_of((left, right)),
    "uniqueItems": lambda left, right: left or right,
}
