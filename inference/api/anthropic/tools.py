"""The tools that a request offers to the model, and whether it must call one."""

from collections.abc import Mapping
from typing import Any

from inference.api.json_body import json_object
from inference.errors import InvalidRequest
from inference.request import CallPolicy, ToolChoice

_CHOICES = ("auto", "any", "tool", "none")


def offered_tools(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return the tools in OpenAI's nesting, none if the caller forbids calling them.

    What has no name or no schema is a tool that Anthropic's own server would run, such as
    web search: it is left out. Raises InvalidRequest for what is no tool at all.
    """
    tools = _tools(body)
    functions = tuple(
        _function(tool, f"tools[{index}]") for index, tool in enumerate(tools) if _is_ours(tool)
    )
    return () if _choice(body) == "none" else functions


def tool_choice(body: Mapping[str, Any]) -> ToolChoice:
    """Return whether the model must call a tool; it need not call one that was left out.

    Raises InvalidRequest for a choice that does not exist or that no tool can meet.
    """
    choice = _choice(body)
    if choice not in ("any", "tool"):
        return ToolChoice()
    tools = _tools(body)
    if not tools:
        raise _invalid_choice(f"tool_choice.type is '{choice}', but there are no tools")
    offered = [tool["name"] for tool in tools if _is_ours(tool)]
    if choice == "any":
        return ToolChoice(CallPolicy.REQUIRED) if offered else ToolChoice()
    name = json_object(body, "tool_choice").get("name")
    if name not in [tool.get("name") for tool in tools]:
        raise _invalid_choice(f"tool_choice.name is {name!r}, which is not among the tools")
    return ToolChoice(CallPolicy.REQUIRED, name) if name in offered else ToolChoice()


def _tools(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    tools = [] if body.get("tools") is None else body["tools"]
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise InvalidRequest("tools must be a list of objects", "tools")
    return tools


def _is_ours(tool: Mapping[str, Any]) -> bool:
    return tool.get("name") is not None and tool.get("input_schema") is not None


def _function(tool: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return a tool with what describes it to a model, and nothing that may change by turns."""
    name, schema = tool["name"], tool["input_schema"]
    if not isinstance(name, str) or not name:
        raise InvalidRequest(f"{where}.name must be a string that is not empty", "tools")
    if not isinstance(schema, dict):
        raise InvalidRequest(f"{where}.input_schema must be an object", "tools")
    description = tool.get("description")
    if description is not None and not isinstance(description, str):
        raise InvalidRequest(f"{where}.description must be a string", "tools")
    function = {"name": name, "description": description, "parameters": schema}
    if description is None:
        del function["description"]
    return {"type": "function", "function": function}


def _choice(body: Mapping[str, Any]) -> str:
    choice = json_object(body, "tool_choice")
    kind = choice.get("type") if choice else "auto"
    if kind not in _CHOICES:
        known = ", ".join(f"'{name}'" for name in _CHOICES)
        raise _invalid_choice(f"tool_choice.type is {kind!r}, expected one of {known}")
    return str(kind)


def _invalid_choice(message: str) -> InvalidRequest:
    return InvalidRequest(message, "tool_choice")
