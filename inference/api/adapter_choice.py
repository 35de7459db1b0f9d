"""Reads the field by which a request chooses adapters, alike in every protocol."""

from collections.abc import Mapping
from typing import Any

from inference.adapters.selection import BadName, parse_selection
from inference.errors import InvalidRequest


def adapter_choice(body: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return `GenerationRequest.adapter`; raises InvalidRequest for what names none."""
    value = body.get("adapter")
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRequest(
            "adapter must be a string: an id, several as 'a+b', or 'none'", "adapter"
        )
    try:
        return parse_selection(value)
    except BadName as error:
        raise InvalidRequest(f"adapter cannot be read: {error}", "adapter") from error
