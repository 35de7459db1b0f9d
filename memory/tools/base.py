"""What a tool of the memory is. They only read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

LONGEST_ANSWER = 6000  # characters; most are far shorter


class ToolFailed(Exception):
    """A call that cannot be answered as asked; the text is for the model, with what would help."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model can call.

    parameters: JSON Schema of its arguments, an object.
    run: returns what the model reads, of `LONGEST_ANSWER` at most. Any thread; blocks. Raises
        ToolFailed.
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


def clipped(words: str, longest: int = LONGEST_ANSWER) -> str:
    if len(words) <= longest:
        return words
    return words[:longest].rstrip() + "\n… (cut here)"
