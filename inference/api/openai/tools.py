"""The tools that a chat request offers to the model."""

from collections.abc import Mapping
from typing import Any

from inference.errors import InvalidRequest
from inference.request import CallPolicy, ToolChoice

_CHOICES = ("none", "auto", "required")
_REQUIRED = ("required", "any")  # some clients say it the other way


def read_tools(
    body: Mapping[str, Any],
) -> tuple[tuple[Mapping[str, Any], ...], ToolChoice]:
    """Return the tools as they were sent, none if the caller forbids calls, and the choice.

    Raises InvalidRequest for a tool or a choice that is no function object, and for a choice
    that no tool can meet.
    """
    tools = [] if body.get("tools") is None else body["tools"]
    if not isinstance(tools, list) or not all(_is_function(tool) for tool in tools):
        raise InvalidRequest("tools must be a list of function objects, each with a name", "tools")
    choice = body.get("tool_choice")
    if choice is not None and not _is_choice(choice):
        known = ", ".join(f"'{name}'" for name in _CHOICES)
        raise InvalidRequest(
            f"tool_choice must be one of {known} or a function object", "tool_choice"
        )
    if choice == "none":
        return (), ToolChoice()
    return tuple(tools), _tool_choice(choice, {tool["function"]["name"] for tool in tools})


def _tool_choice(choice: object, names: set[str]) -> ToolChoice:
    if isinstance(choice, dict):
        name = choice["function"]["name"]
        if name not in names:
            raise InvalidRequest(
                f"tool_choice names '{name}', which is not in tools", "tool_choice"
            )
        return ToolChoice(CallPolicy.REQUIRED, name)
    if choice in _REQUIRED:
        if not names:
            raise InvalidRequest(
                f"tool_choice is '{choice}', but there are no tools", "tool_choice"
            )
        return ToolChoice(CallPolicy.REQUIRED)
    return ToolChoice()


def _is_choice(value: object) -> bool:
    known = (*_CHOICES, *_REQUIRED)
    return value in known if isinstance(value, str) else _is_function(value)


def _is_function(value: object) -> bool:
    if not isinstance(value, dict) or value.get("type", "function") != "function":
        return False
    function = value.get("function")
    return isinstance(function, dict) and isinstance(function.get("name"), str)
