"""Messages as they stand in a session's file, and what is in them.

{"role": "user", "content": "text" | [{"type": "text", ...}, {"type": "image", ...}]}
{"role": "assistant", "content": [text, thinking, toolCall...], "stopReason", "usage", ...}
{"role": "toolResult", "toolCallId", "toolName", "content", "isError", "arguments"?}

`arguments` of a result are those that the user put in place of the model's.
"""

from collections.abc import Sequence
from typing import Any

from sessions.frames.values import Image, Part, TextPart, ThinkingPart, ToolPart, Usage

Message = dict[str, Any]


def user_message(text: str, images: Sequence[Image] = ()) -> Message:
    if not images:
        return {"role": "user", "content": text}
    pictures = [{"type": "image", "data": i.data, "mimeType": i.mime_type} for i in images]
    return {"role": "user", "content": [{"type": "text", "text": text}, *pictures]}


def assistant_message(
    parts: Sequence[Part],
    *,
    stop_reason: str,
    usage: Usage | None = None,
    lane: str | None = None,
    model: str | None = None,
) -> Message:
    """Make a message of what one answer of the model held. stop_reason: `stop`, `length`,
    `toolUse`, `aborted` or `error`."""
    message: Message = {
        "role": "assistant",
        "content": [_stored(part) for part in parts],
        "stopReason": stop_reason,
    }
    if usage is not None:
        message["usage"] = usage.model_dump()
    if lane is not None:
        message["lane"] = lane
    if model is not None:
        message["model"] = model
    return message


def tool_result(
    call: ToolPart, text: str, *, ok: bool, args: dict[str, Any] | None = None
) -> Message:
    """Make a message of how a call went; args: what it was made with, if the user saw to it."""
    result: Message = {
        "role": "toolResult",
        "toolCallId": call.call_id,
        "toolName": call.tool,
        "content": [{"type": "text", "text": text}],
        "isError": not ok,
    }
    if args is not None and args != call.args:
        result["arguments"] = args
    return result


def _stored(part: Part) -> dict[str, Any]:
    match part:
        case TextPart():
            return {"type": "text", "text": part.text}
        case ThinkingPart():
            return {"type": "thinking", "thinking": part.text}
        case ToolPart():
            call = {"id": part.call_id, "name": part.tool, "arguments": part.args}
            return {"type": "toolCall", **call}


def text_of(message: Message) -> str:
    """Return the text of a message: what was said, without thoughts, calls and pictures."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(
        part["text"]
        for part in _parts(content)
        if part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def images_of(message: Message) -> tuple[Image, ...]:
    return tuple(
        Image(data=part["data"], mime_type=part["mimeType"])
        for part in _parts(message.get("content"))
        if part.get("type") == "image"
        and isinstance(part.get("data"), str)
        and isinstance(part.get("mimeType"), str)
    )


def parts_of(message: Message) -> list[Part]:
    """Return what an answer held, calls without their results."""
    content = message.get("content")
    if isinstance(content, str):
        return [TextPart(text=content)]
    return [part for stored in _parts(content) if (part := _read(stored)) is not None]


def edited_args_of(result: Message) -> dict[str, Any] | None:
    """Return what the user put in place of a call's arguments; None if nothing was changed."""
    args = result.get("arguments")
    return args if isinstance(args, dict) else None


def usage_of(message: Message) -> Usage | None:
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return None
    fields = [usage.get(name) for name in Usage.model_fields]
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in fields):
        return None
    return Usage(**{name: usage[name] for name in Usage.model_fields})


def _read(stored: dict[str, Any]) -> Part | None:
    match stored:
        case {"type": "text", "text": str(text)}:
            return TextPart(text=text)
        case {"type": "thinking", "thinking": str(text)}:
            return ThinkingPart(text=text)
        case {"type": "toolCall", "id": str(call), "name": str(name), "arguments": dict(args)}:
            return ToolPart(call_id=call, tool=name, args=args)
    return None


def _parts(content: object) -> list[dict[str, Any]]:
    if not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict)]
