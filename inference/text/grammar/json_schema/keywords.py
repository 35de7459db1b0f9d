"""The keywords of one schema object: their types checked, older spellings made new."""

from collections.abc import Callable, Mapping
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import checked, checked_map


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _is_name_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_name_lists(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_is_name_list(names) for names in value.values())


_COUNT = (_is_count, "a whole number")
_NUMBER = (_is_number, "a number")
_TEXT = (lambda value: isinstance(value, str), "a string")

_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "$ref": _TEXT,
    "$dynamicRef": _TEXT,
    "$recursiveRef": _TEXT,
    "pattern": _TEXT,
    "format": _TEXT,
    "type": (lambda value: isinstance(value, str) or _is_name_list(value), "a type's name"),
    "enum": (lambda value: isinstance(value, list), "a list"),
    "required": (_is_name_list, "a list of names"),
    "dependentRequired": (_is_name_lists, "an object of lists of names"),
    "prefixItems": (lambda value: isinstance(value, list), "a list"),
    "multipleOf": (lambda value: _is_number(value) and value > 0, "a number above 0"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _COUNT),
    **dict.fromkeys(("minProperties", "maxProperties"), _COUNT),
}


_SCHEMAS = {
    "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip


def read_keywords(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords in today's spelling. Raises NotExpressible for a wrong type."""
    keywords = _with_dependents(_modern(dict(schema)))
    for name, (is_right, expected) in _EXPECTED.items():
        if name in keywords and not is_right(keywords[name]):
            raise NotExpressible(f"{name} of the schema must be {expected}")
    for name in _SCHEMAS & keywords.keys():
        checked(keywords[name], name)
    if "dependentSchemas" in keywords:
        checked_map(keywords["dependentSchemas"], "dependentSchemas")
    return keywords


def _modern(keywords: dict[str, Any]) -> dict[str, Any]:
    """Rewrite what drafts 4 to 7 spelled otherwise."""
    for bound in ("minimum", "maximum"):
        exclusive = f"exclusive{bound.capitalize()}"
        is_flag = isinstance(keywords.get(exclusive), bool)
        if is_flag and keywords.pop(exclusive) and bound in keywords:
            keywords[exclusive] = keywords.pop(bound)
    if isinstance(keywords.get("items"), list):
        keywords["prefixItems"] = keywords.pop("items")
        if "additionalItems" in keywords:
            keywords["items"] = keywords["additionalItems"]
    keywords.pop("additionalItems", None)
    return keywords


def _with_dependents(keywords: dict[str, Any]) -> dict[str, Any]:
    """Tell apart what `dependencies` holds: names, and schemas."""
    if "dependencies" not in keywords:
        return keywords
    asked = keywords.pop("dependencies")
    if not isinstance(asked, Mapping):
        raise NotExpressible("dependencies of the schema must be an object")
    names = {name: needed for name, needed in asked.items() if isinstance(needed, list)}
    schemas = {name: needed for name, needed in asked.items() if name not in names}
    return {"dependentRequired": names, "dependentSchemas": schemas, **keywords}
