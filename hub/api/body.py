"""Reads request bodies of the hub's own routes: one JSON object, fields by hand."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from hub.api.answers import BadRequest


def read_object(request: HttpRequest) -> dict[str, Any]:
    """Parse the body; none at all counts as an empty object. Raises BadRequest."""
    try:
        value = json.loads(request.body or b"{}")
    except (ValueError, RecursionError) as error:
        raise BadRequest("invalid JSON body") from error
    if not isinstance(value, dict):
        raise BadRequest("invalid JSON body")
    return value


def read_text(request: HttpRequest, name: str) -> str:
    """Return a field of the body that is text and not blank, trimmed; raises BadRequest."""
    return text_of(read_object(request), name)


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Return a field that is text and not blank, trimmed; raises BadRequest."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(f"{name} required")
    return value.strip()
