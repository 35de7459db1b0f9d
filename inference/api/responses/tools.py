"""The tools that a request offers, as its caller and as the model know them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inference.errors import InvalidRequest


class ToolKind(StrEnum):
    FUNCTION = "function"  # takes a JSON object
    CUSTOM = "custom"  # takes plain text


@dataclass(frozen=True, slots=True)
class ToolName:
    """How the caller names a tool; names are unique within kind and namespace only."""

    kind: ToolKind
    name: str
    namespace: str | None = None

    @property
    def joined(self) -> str:
        """The name with its namespace before it."""
        if self.namespace is None:
            return self.name
        separator = "" if self.namespace.endswith("_") else "__"
        return f"{self.namespace}{separator}{self.name}"


class ToolBox:
    """The tools of one request, each under a flat name, which the model uses.

    Models know neither namespaces nor tools that take plain text: to them every tool is a
    function with a name of its own.
    """

    def __init__(self, tools: Iterable[object] = ()) -> None:
        """Take tools as they were sent; those that are neither functions nor custom are left out.

        Of two with one name the later counts, in the earlier one's place.
        Raises InvalidRequest for a tool that is malformed.
        """
        self._flat_names: dict[ToolName, str] = {}
        self._names: dict[str, ToolName] = {}  # by flat name
        self._functions: dict[str, Mapping[str, Any]] = {}  # by flat name
        for name, function in _read(tools):
            flat_name = self._flat_names.get(name) or self._unused(name.joined)
            self._flat_names[name] = flat_name
            self._names[flat_name] = name
            self._functions[flat_name] = {"name": flat_name, **function}

    def functions(self) -> dict[str, Mapping[str, Any]]:
        """Return every tool by its flat name, in the order of the request, in OpenAI's nesting."""
        return {
            flat_name: {"type": "function", "function": function}
            for flat_name, function in self._functions.items()
        }

    def has(self, name: ToolName) -> bool:
        return name in self._flat_names

    def flat_name(self, name: ToolName) -> str:
        """Return the model's name of a tool, also of one that is not offered any more."""
        return self._flat_names.get(name, name.joined)

    def name(self, flat_name: str) -> ToolName:
        """Return the caller's name of a tool that the model called."""
        return self._names.get(flat_name) or ToolName(ToolKind.FUNCTION, flat_name)

    def _unused(self, flat_name: str) -> str:
        while flat_name in self._names:
            flat_name += "_"
        return flat_name


def _read(tools: Iterable[object]) -> Iterator[tuple[ToolName, Mapping[str, Any]]]:
    for index, tool in enumerate(tools):
        where = f"tools[{index}]"
        if not isinstance(tool, dict):
            raise invalid_tool(f"{where} must be an object with a type")
        if tool.get("type") == "namespace":
            yield from _read_namespace(tool, where)
        else:
            yield from _read_tool(tool, None, where)


def _read_namespace(
    namespace: Mapping[str, Any], where: str
) -> Iterator[tuple[ToolName, Mapping[str, Any]]]:
    tools = namespace.get("tools")
    if not isinstance(tools, list):
        raise invalid_tool(f"{where}.tools must be a list")
    name = _name(namespace, where)
    for index, tool in enumerate(tools):
        if not isinstance(tool, dict):
            raise invalid_tool(f"{where}.tools[{index}] must be an object with a type")
        yield from _read_tool(tool, name, f"{where}.tools[{index}]")


def _read_tool(
    tool: Mapping[str, Any], namespace: str | None, where: str
) -> Iterator[tuple[ToolName, Mapping[str, Any]]]:
    match tool.get("type"):
        case "function":
            parameters = tool.get("parameters")
            if parameters is not None and not isinstance(parameters, dict):
                raise invalid_tool(f"{where}.parameters must be an object")
            name = ToolName(ToolKind.FUNCTION, _name(tool, where), namespace)
            function = {**_description(tool, where), "parameters": parameters or _NO_PARAMETERS}
            yield name, {**function, **({"strict": True} if tool.get("strict") is True else {})}
        case "custom":
            name = ToolName(ToolKind.CUSTOM, _name(tool, where), namespace)
            yield name, {**_description(tool, where), "parameters": _one_text(tool.get("format"))}


_NO_PARAMETERS = {"type": "object", "properties": {}}


def _one_text(text_format: object) -> dict[str, Any]:
    """Return the parameters of a custom tool: one text, and what is known of its form."""
    description = "The whole input of the tool, as plain text."
    match text_format:
        case {"type": "grammar", "syntax": str(syntax), "definition": str(definition)}:
            description += f" It follows this grammar, in {syntax} notation:\n{definition}"
    return {
        "type": "object",
        "properties": {"input": {"type": "string", "description": description}},
        "required": ["input"],
        "additionalProperties": False,
    }


def _name(source: Mapping[str, Any], where: str) -> str:
    name = source.get("name")
    if not isinstance(name, str) or not name:
        raise invalid_tool(f"{where}.name must be a string that is not empty")
    return name


def _description(tool: Mapping[str, Any], where: str) -> dict[str, str]:
    description = tool.get("description")
    if description is None:
        return {}
    if not isinstance(description, str):
        raise invalid_tool(f"{where}.description must be a string")
    return {"description": description}


def invalid_tool(message: str) -> InvalidRequest:
    return InvalidRequest(message, "tools")
