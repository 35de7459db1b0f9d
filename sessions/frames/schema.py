"""Frames in the words of the OpenAPI document, of which the page's types are made."""

from typing import Any

from pydantic import TypeAdapter

from sessions.frames.client import CLIENT
from sessions.frames.server import SERVER

_TEMPLATE = "#/components/schemas/Chat{model}"


def frame_schemas() -> dict[str, dict[str, Any]]:
    """Return schemas by name: `ChatClientFrame`, `ChatServerFrame` and what they refer to."""
    return _schemas("ClientFrame", CLIENT) | _schemas("ServerFrame", SERVER)


def _schemas(name: str, frames: TypeAdapter[Any]) -> dict[str, dict[str, Any]]:
    whole = frames.json_schema(ref_template=_TEMPLATE)
    parts = whole.pop("$defs")
    return {f"Chat{part}": _plain(schema) for part, schema in parts.items()} | {
        f"Chat{name}": whole
    }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop titles, which repeat names, and ask for the member that tells what a thing is."""
    members = schema["properties"]
    for member in members.values():
        member.pop("title", None)
    constant = [name for name, member in members.items() if "const" in member]
    for name in constant:
        members[name].pop("default", None)
    required = constant + [n for n in schema.get("required", []) if n not in constant]
    kept = {key: value for key, value in schema.items() if key != "title"}
    return {**kept, "required": required}
