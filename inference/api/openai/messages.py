"""OpenAI's messages to ours, in every shape that clients are known to send."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.api.call_arguments import arguments_of
from inference.errors import InvalidRequest
from inference.messages import MediaKind, Message, Role, ToolCall

# `developer` is the newer name of `system`, `function` the older one of `tool`; no chat
# template knows either.
_ROLES = {role.value: role for role in Role} | {"developer": Role.SYSTEM, "function": Role.TOOL}
_TEXT_FIELDS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_MEDIA = {
    "image_url": MediaKind.IMAGE,
    "image": MediaKind.IMAGE,
    "input_audio": MediaKind.AUDIO,
    "audio": MediaKind.AUDIO,
    "audio_url": MediaKind.AUDIO,
    "video_url": MediaKind.VIDEO,
    "video": MediaKind.VIDEO,
}
# Fields of a message that chat templates read as they stand.
_PASSED_ON = ("name", "tool_call_id")


def to_messages(raw: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Translate a conversation, which stays as it is.

    Raises InvalidRequest naming the message and the field at fault.
    """
    return tuple(_message(message, f"messages[{index}]") for index, message in enumerate(raw))


def _message(message: Mapping[str, Any], where: str) -> Message:
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        known = ", ".join(f"'{name}'" for name in _ROLES)
        raise _invalid(f"{where}.role is {role!r}, expected one of {known}")
    text, media = _content(message.get("content"), where)
    is_answer = _ROLES[role] is Role.ASSISTANT
    given = {name: _string(message, name, where) for name in _PASSED_ON}
    return Message(
        _ROLES[role],
        text,
        media=media,
        reasoning=_reasoning(message, where) if is_answer else None,
        tool_calls=_tool_calls(message, where) if is_answer else (),
        extra={name: value for name, value in given.items() if value is not None},
    )


def _content(content: object, where: str) -> tuple[str, tuple[MediaKind, ...]]:
    """Return the joined text of a content field and the kinds of its other parts.

    Null and a missing field, as tool calls bring them, are empty text.
    """
    if content is None:
        return "", ()
    if isinstance(content, str):
        return content, ()
    if not isinstance(content, list):
        raise _invalid(f"{where}.content must be a string or a list of parts")
    parts = [_part(part, where, index) for index, part in enumerate(content)]
    return (
        "".join(part for part in parts if not isinstance(part, MediaKind)),
        tuple(part for part in parts if isinstance(part, MediaKind)),
    )


def _part(part: object, where: str, index: int) -> str | MediaKind:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        raise _invalid(f"{where}.content[{index}] must be a string or an object with a type")
    kind = part.get("type")
    if isinstance(kind, str) and kind in _MEDIA:
        return _MEDIA[kind]
    if not isinstance(kind, str) or kind not in _TEXT_FIELDS:
        known = ", ".join(f"'{name}'" for name in (*_TEXT_FIELDS, *_MEDIA))
        raise _invalid(f"{where}.content[{index}].type is {kind!r}, expected one of {known}")
    text = part.get(_TEXT_FIELDS[kind])
    if not isinstance(text, str):
        raise _invalid(f"{where}.content[{index}].{_TEXT_FIELDS[kind]} must be a string")
    return text


def _reasoning(message: Mapping[str, Any], where: str) -> str | None:
    """Return the thinking; `reasoning` is another name, and `reasoning_content` wins."""
    given = _string(message, "reasoning_content", where)
    other = _string(message, "reasoning", where)
    return other if given is None else given


def _tool_calls(message: Mapping[str, Any], where: str) -> tuple[ToolCall, ...]:
    calls = message.get("tool_calls")
    if calls is None:
        # The older way to call, one function a message and without an id.
        older = message.get("function_call")
        return () if older is None else (_call("", older, f"{where}.function_call"),)
    if not isinstance(calls, list):
        raise _invalid(f"{where}.tool_calls must be a list")
    return tuple(_tool_call(call, f"{where}.tool_calls[{i}]") for i, call in enumerate(calls))


def _tool_call(call: object, where: str) -> ToolCall:
    if not isinstance(call, dict):
        raise _invalid(f"{where} must be an object")
    return _call(_string(call, "id", where) or "", call.get("function"), f"{where}.function")


def _call(call_id: str, function: object, where: str) -> ToolCall:
    if not isinstance(function, dict):
        raise _invalid(f"{where} must be an object")
    name = _string(function, "name", where)
    if not name:
        raise _invalid(f"{where}.name must be a string that is not empty")
    return ToolCall(call_id, name, _arguments(function.get("arguments"), f"{where}.arguments"))


def _arguments(value: object, where: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    if not isinstance(value, str):
        raise _invalid(f"{where} must be a string or an object")
    return arguments_of(value)


def _string(source: Mapping[str, Any], name: str, where: str) -> str | None:
    """Return a field that is text; absent and null give None."""
    value = source.get(name)
    if value is not None and not isinstance(value, str):
        raise _invalid(f"{where}.{name} must be a string")
    return value


def _invalid(message: str) -> InvalidRequest:
    return InvalidRequest(message, "messages")
