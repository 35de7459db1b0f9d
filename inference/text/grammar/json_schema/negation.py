"""What a flat schema refuses, as flat schemas: how `not`, `if` and `oneOf` are enforced.

A value is refused if it goes against any one keyword, so each keyword gives alternatives of
its own. Two keywords exist in flat schemas alone: `excluded`, a list of values, and
`excludedPatterns`, a list of patterns.
"""

from collections.abc import Callable

from inference.text.grammar.json_schema.document import Schema
from inference.text.grammar.json_schema.merge import TYPES, Flat, type_of, types_of, values_of
from inference.text.grammar.json_schema.named import Members

# By keyword: the type it speaks of, and the keyword and offset of its opposite.
_BOUNDS = {
    "minLength": ("string", "maxLength", -1),
    "maxLength": ("string", "minLength", 1),
    "minItems": ("array", "maxItems", -1),
    "maxItems": ("array", "minItems", 1),
    "minProperties": ("object", "maxProperties", -1),
    "minimum": ("number", "exclusiveMaximum", 0),
    "exclusiveMinimum": ("number", "maximum", 0),
    "maximum": ("number", "exclusiveMinimum", 0),
    "exclusiveMaximum": ("number", "minimum", 0),
}
# What asks of values as much as nothing.
_IDLE = {"items": True, "propertyNames": True, "uniqueItems": False, "prefixItems": []}
_HARD = {
    "contains", "excluded", "excludedPatterns", "format", "items", "maxContains",
    "maxProperties", "minContains", "multipleOf", "prefixItems", "propertyNames",
    "unevaluatedItems", "uniqueItems",
}  # fmt: skip


def opposites(flat: Flat, can_negate: Callable[[Schema], bool]) -> list[Flat] | None:
    """Return the alternatives of what `flat` refuses; None if they cannot be said.

    can_negate: tells whether a member's schema can be asked for with `not`.
    """
    found: list[Flat] = []
    if any(key in _HARD and value != _IDLE.get(key, ...) for key, value in flat.items()):
        return None
    for kinds in (_types(flat), _values(flat), _members(flat, can_negate)):
        if kinds is None:
            return None
        found += kinds
    for keyword, (name, opposite, offset) in _BOUNDS.items():
        if keyword in flat:
            bound = flat[keyword] + offset
            found += [{"type": name, opposite: bound}] if bound >= 0 or offset == 0 else []
    patterns = flat.get("pattern", [])
    found += [
        {"type": "string", "excludedPatterns": [pattern]}
        for pattern in ([patterns] if isinstance(patterns, str) else patterns)
    ]
    found += [_without(name) for name in flat.get("required", ())]
    return found


def _types(flat: Flat) -> list[Flat] | None:
    types = types_of(flat)
    if ("integer" in types) != ("number" in types):
        return None  # no flat schema is for numbers that are not whole
    others = [name for name in TYPES if name not in types]
    return [{"type": others}] if others else []


def _values(flat: Flat) -> list[Flat] | None:
    values = values_of(flat)
    if values is None:
        return []
    if any(isinstance(value, list | dict) for value in values):
        return None
    listed = set(map(type_of, values))
    if listed & {"integer", "number"}:
        listed |= {"integer", "number"}
    others = [name for name in TYPES if name not in listed]
    excluding = [{"type": name, "excluded": values} for name in sorted(listed - {"integer"})]
    return [{"type": others}, *excluding]


def _members(flat: Flat, can_negate: Callable[[Schema], bool]) -> list[Flat] | None:
    found: list[Flat] = []
    said: tuple[Members, ...] = flat.get("members", ())
    for one in said:
        if one.patterns or one.others not in (None, True):
            return None
        for name, schema in one.properties.items():
            if schema is True:
                continue
            if not can_negate(schema):
                return None
            opposing = Members.opposing(name, schema)
            found.append({"type": "object", "required": [name], "members": (opposing,)})
    return found


def _without(name: str) -> Flat:
    return {"type": "object", "members": (Members.without(name),)}
