"""Reads the request fields that constrain an answer, which several clients spell alike.

response_format     {"type": "text" | "json_object" | "json_schema", "json_schema": …}
guided_grammar      a grammar
structured_outputs  a JSON Schema
guided_regex        a regular expression
guided_choice       a list of strings
"""

from collections.abc import Callable, Mapping
from typing import Any

from inference.constraint import AnyJson, Choice, Constraint, Ebnf, JsonSchema, Regex


class BadField(ValueError):
    """A field of the wrong type; the text names the field, and `field` is its name."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field} {problem}")
        self.field = field


def constraint_of(body: Mapping[str, Any]) -> Constraint | None:
    """Return the constraint that a request's fields ask for; None for free text.

    All fields are checked; of several the first in this order counts: `guided_grammar`,
    `response_format`, `structured_outputs`, `guided_regex`, `guided_choice`. Null is absent.
    Raises BadField.
    """
    found = [read(body[name]) for name, read in _READERS.items() if body.get(name) is not None]
    return next((constraint for constraint in found if constraint is not None), None)


def _response_format(value: Any) -> Constraint | None:
    if not isinstance(value, Mapping):
        raise BadField("response_format", "must be an object")
    match value.get("type"):
        case "text":
            return None
        case "json_object":
            return AnyJson()
        case "json_schema":
            return _json_schema(value.get("json_schema"))
    raise BadField("response_format.type", "must be one of 'text', 'json_object', 'json_schema'")


def _json_schema(value: Any) -> JsonSchema:
    if not isinstance(value, Mapping):
        raise BadField("response_format.json_schema", "must be an object")
    any_whitespace = value.get("any_whitespace", True)
    if not isinstance(any_whitespace, bool):
        raise BadField("response_format.json_schema.any_whitespace", "must be of type bool")
    schema = _schema("response_format.json_schema.schema", value.get("schema"))
    return JsonSchema(schema, any_whitespace)


def _structured_outputs(value: Any) -> JsonSchema:
    return JsonSchema(_schema("structured_outputs", value))


def _schema(field: str, value: Any) -> Mapping[str, Any] | bool:
    if isinstance(value, Mapping | bool):
        return value
    raise BadField(field, "must be a JSON Schema, which is an object")


def _grammar(value: Any) -> Ebnf:
    return Ebnf(_text("guided_grammar", value))


def _regex(value: Any) -> Regex:
    return Regex(_text("guided_regex", value))


def _text(field: str, value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    raise BadField(field, "must be a string that is not empty")


def _choice(value: Any) -> Choice:
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return Choice(tuple(value))
    raise BadField("guided_choice", "must be a list of strings that is not empty")


# In the order of precedence.
_READERS: dict[str, Callable[[Any], Constraint | None]] = {
    "guided_grammar": _grammar,
    "response_format": _response_format,
    "structured_outputs": _structured_outputs,
    "guided_regex": _regex,
    "guided_choice": _choice,
}
