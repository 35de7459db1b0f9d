"""What a tool of the memory is. They only read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

LONGEST_ANSWER = 6000  # characters; most are far shorter

CUT = "\n… (cut here)"


class ToolFailed(Exception):
    """A call that cannot be answered as asked; the text is for the model, with what would help."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model can call.

    parameters: JSON Schema of its arguments, an object.
    run: returns what the model reads. Any thread; blocks. Raises ToolFailed. `bounded` keeps either
        text within `LONGEST_ANSWER`, whatever the articles hold.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], str]


def arguments(required: tuple[str, ...] = (), **members: Mapping[str, Any]) -> dict[str, Any]:
    """Describe arguments by name."""
    return {"type": "object", "properties": dict(members), "required": list(required)}


def text(description: str) -> dict[str, str]:
    return {"type": "string", "description": description}


def required_text(args: Mapping[str, Any], name: str) -> str:
    """Raises ToolFailed."""
    value = optional_text(args, name)
    if value is None:
        raise ToolFailed(f"{name} is required, as text.")
    return value


def optional_text(args: Mapping[str, Any], name: str) -> str | None:
    """Raises ToolFailed."""
    value = args.get(name)
    if value is not None and not isinstance(value, str):
        raise ToolFailed(f"{name} has to be text.")
    return value.strip() or None if value else None


def listed(lines: list[str], most: int, more: str) -> str:
    """Return lines, `most` of them; `more` says what to do about the others."""
    shown = lines[:most]
    if left := len(lines) - len(shown):
        shown.append(f"… and {left} more. {more}")
    return "\n".join(shown)


def bounded(tool: Tool) -> Tool:
    """Return the tool with answers, and reasons why there is none, that are never too long."""

    def run(args: Mapping[str, Any]) -> str:
        try:
            return clipped(tool.run(args), LONGEST_ANSWER)
        except ToolFailed as failed:
            raise ToolFailed(clipped(str(failed), LONGEST_ANSWER)) from failed

    return replace(tool, run=run)


def clipped(words: str, longest: int) -> str:
    """Return words, of `longest` characters at most."""
    if len(words) <= longest:
        return words
    return words[: longest - len(CUT)].rstrip() + CUT
