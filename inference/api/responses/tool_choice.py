"""Which of the offered tools a request allows or demands."""

from collections.abc import Mapping
from typing import Any

from inference.api.responses.tools import ToolBox, ToolKind, ToolName
from inference.errors import InvalidRequest
from inference.request import CallPolicy, ToolChoice

Tools = tuple[Mapping[str, Any], ...]

_WORDS = ("none", "auto", "required")


def choose_tools(choice: object, box: ToolBox) -> tuple[Tools, ToolChoice]:
    """Return the tools to show to the model, and whether it must call one.

    A demand that only a tool left out could meet is none.
    Raises InvalidRequest for a choice that is malformed or names a tool that is not offered.
    """
    if isinstance(choice, dict):
        return _by_object(choice, box)
    tools = tuple(box.functions().values())
    match choice:
        case "none":
            return (), ToolChoice()
        case None | "auto":
            return tools, ToolChoice()
        case "required":
            return _with_policy(tools, choice)
    known = ", ".join(f"'{word}'" for word in _WORDS)
    raise _invalid(f"tool_choice must be one of {known} or an object with a type")


def _by_object(choice: Mapping[str, Any], box: ToolBox) -> tuple[Tools, ToolChoice]:
    tools = tuple(box.functions().values())
    match choice.get("type"):
        case "allowed_tools":
            return _allowed(choice, box)
        case "function" | "custom":
            flat_name = box.flat_name(_offered(choice, box, "tool_choice"))
            return tools, ToolChoice(CallPolicy.REQUIRED, flat_name)
        case str():  # a tool that runs elsewhere
            return tools, ToolChoice()
    raise _invalid("tool_choice.type must be a string")


def _allowed(choice: Mapping[str, Any], box: ToolBox) -> tuple[Tools, ToolChoice]:
    allowed = choice.get("tools")
    if not isinstance(allowed, list) or not all(isinstance(tool, dict) for tool in allowed):
        raise _invalid("tool_choice.tools must be a list of objects")
    names = {
        box.flat_name(_offered(tool, box, f"tool_choice.tools[{index}]"))
        for index, tool in enumerate(allowed)
        if tool.get("type") in tuple(ToolKind)
    }
    tools = tuple(function for name, function in box.functions().items() if name in names)
    return _with_policy(tools, choice.get("mode"))


def _with_policy(tools: Tools, mode: object) -> tuple[Tools, ToolChoice]:
    if mode not in ("auto", "required"):
        raise _invalid("tool_choice.mode must be one of 'auto', 'required'")
    must_call = mode == "required" and bool(tools)
    return tools, ToolChoice(CallPolicy.REQUIRED if must_call else CallPolicy.AUTO)


def _offered(choice: Mapping[str, Any], box: ToolBox, where: str) -> ToolName:
    """Return the tool that a choice names."""
    name, namespace = choice.get("name"), choice.get("namespace")
    if not isinstance(name, str) or not isinstance(namespace, str | None):
        raise _invalid(f"{where} must have a name, and a namespace if the tool is in one")
    wanted = ToolName(ToolKind(choice["type"]), name, namespace)
    if not box.has(wanted):
        raise _invalid(f"{where} names {wanted.joined!r}, which is not among the tools; offer it")
    return wanted


def _invalid(message: str) -> InvalidRequest:
    return InvalidRequest(message, "tool_choice")
