"""What the text of an answer must satisfy, from the field `text.format`."""

from collections.abc import Mapping
from typing import Any

from inference.api.json_body import boolean
from inference.constraint import AnyJson, Constraint, JsonSchema
from inference.errors import InvalidRequest


def constraint_of(text: Mapping[str, Any]) -> Constraint | None:
    """Return the constraint that the field `text` asks for; None for free text.

    Raises InvalidRequest for a format that is not known or has no schema.
    """
    text_format = text.get("format")
    if text_format is None:
        return None
    if not isinstance(text_format, dict):
        raise _invalid("text.format must be an object")
    match text_format.get("type"):
        case "text":
            return None
        case "json_object":
            return AnyJson()
        case "json_schema":
            return _schema(text_format)
        case kind:
            raise _invalid(
                f"text.format.type is {kind!r}, expected one of 'text', 'json_object', "
                "'json_schema'"
            )


def _schema(text_format: Mapping[str, Any]) -> JsonSchema:
    schema = text_format.get("schema")
    if not isinstance(schema, dict | bool):
        raise _invalid("text.format.schema must be an object")
    return JsonSchema(schema, boolean(text_format, "any_whitespace", default=True))


def _invalid(message: str) -> InvalidRequest:
    return InvalidRequest(message, "text")
