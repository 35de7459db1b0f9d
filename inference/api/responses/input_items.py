"""The field `input`: what is said in a request, as a list of items."""

from collections.abc import Iterable
from typing import Any

from inference.api.responses.content import PART_TYPES, invalid
from inference.api.responses.store import Item

REFERENCE = "item_reference"
TOOLS = "additional_tools"


def to_items(value: object) -> tuple[Item, ...]:
    """Return the input as items; text is one message of the user's.

    Raises InvalidRequest if there is nothing, or something that is no item.
    """
    if value is None or value in ("", []):
        raise invalid("input required")
    if isinstance(value, str):
        return ({"type": "message", "role": "user", "content": value},)
    if not isinstance(value, list):
        raise invalid("input must be a string or a list of items")
    for index, item in enumerate(value):
        _check(item, f"input[{index}]")
    return tuple(value)


def item_type(item: Item) -> str:
    """Return what kind of item one is; those that name none are messages or references."""
    kind = item.get("type")
    if kind is None:
        return "message" if "role" in item else REFERENCE
    return str(kind)


def additional_tools(items: Iterable[Item]) -> list[Any]:
    """Return the tools that come among the items."""
    found: list[Any] = []
    for item in items:
        if item_type(item) == TOOLS:
            tools = item.get("tools")
            if not isinstance(tools, list):
                raise invalid(f"tools of an item of type '{TOOLS}' must be a list")
            found += tools
    return found


def _check(item: object, where: str) -> None:
    if not isinstance(item, dict) or not isinstance(item.get("type"), str | None):
        raise invalid(f"{where} must be an object with a type")
    if item_type(item) == REFERENCE and not isinstance(item.get("id"), str):
        raise invalid(f"{where} must have a type, a role or the id of an item")
    if item.get("type") in PART_TYPES:
        raise invalid(f"{where} is a part; put it into the content of a message")
