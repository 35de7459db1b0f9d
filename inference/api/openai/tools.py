"""The tools that a chat request offers to the model."""

from collections.abc import Mapping
from typing import Any

from inference.errors import InvalidRequest

_CHOICES = ("none", "auto", "required")


def offered_tools(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return the tools as they were sent, none if the caller forbids calling them.

    Raises InvalidRequest for a tool or a choice that is no function object.
    """
    tools = [] if body.get("tools") is None else body["tools"]
    if not isinstance(tools, list) or not all(_is_function(tool) for tool in tools):
        raise InvalidRequest("tools must be a list of function objects, each with a name", "tools")
    choice = body.get("tool_choice")
    if choice is not None and choice not in _CHOICES and not _is_function(choice):
        known = ", ".join(f"'{name}'" for name in _CHOICES)
        raise InvalidRequest(
            f"tool_choice must be one of {known} or a function object", "tool_choice"
        )
    return () if choice == "none" else tuple(tools)


def _is_function(value: object) -> bool:
    if not isinstance(value, dict) or value.get("type", "function") != "function":
        return False
    function = value.get("function")
    return isinstance(function, dict) and isinstance(function.get("name"), str)
