"""What a tool of the chat's agent is."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

Update = Callable[[str], Awaitable[None]]
"""Tells the page more of what a running tool prints."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads. ok: False for a failure, which the text explains."""

    text: str
    ok: bool = True


class ToolFailed(Exception):
    """A call that cannot be done as asked; the text is for the model, with what would help."""


Run = Callable[[Mapping[str, Any], Update], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that the model can call.

    parameters: JSON Schema of its arguments, an object.
    run: does it, on the event loop; raises ToolFailed. When its task is cancelled, it stops
        whatever it started.
    gated: the user is asked before each call, unless the tool is allowed for good.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Run
    gated: bool = False

    def declaration(self) -> dict[str, Any]:
        """Return what chat templates read."""
        function = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": function}


def parameters(required: tuple[str, ...] = (), **members: Mapping[str, Any]) -> dict[str, Any]:
    """Describe arguments by name."""
    return {"type": "object", "properties": dict(members), "required": list(required)}


def text_argument(args: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return an argument that is text; raises ToolFailed."""
    value = args.get(name, default)
    if not isinstance(value, str) or (default is None and not value):
        raise ToolFailed(f"{name} is required, as text")
    return value
