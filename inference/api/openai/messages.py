"""OpenAI's messages to ours, whatever shape a client gives them."""

from collections.abc import Mapping, Sequence
from typing import Any

from inference.errors import InvalidRequest
from inference.messages import Message, Role

# `developer` is the newer name of `system`; no chat template knows it.
_ROLES = {role.value: role for role in Role} | {"developer": Role.SYSTEM}
_TEXT_PARTS = ("text", "input_text", "output_text")
# Fields of a message that chat templates read as they stand.
_PASSED_ON = ("name", "tool_call_id", "reasoning_content")


def to_messages(raw: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Translate a conversation; raises InvalidRequest naming the message at fault."""
    return tuple(_message(message, index) for index, message in enumerate(raw))


def _message(message: Mapping[str, Any], index: int) -> Message:
    where = f"messages[{index}]"
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        known = ", ".join(f"'{name}'" for name in _ROLES)
        raise InvalidRequest(f"{where}.role is {role!r}, expected one of {known}", "messages")
    extra = {name: message[name] for name in _PASSED_ON if isinstance(message.get(name), str)}
    return Message(_ROLES[role], _text(message.get("content"), where), extra=extra)


def _text(content: object, where: str) -> str:
    """Join the text of a content field; null, as tool calls bring it, is empty."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidRequest(f"{where}.content must be a string or a list of parts", "messages")
    return "".join(_part(part, where) for part in content)


def _part(part: object, where: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, dict) and kind in _TEXT_PARTS and isinstance(part.get("text"), str):
        return str(part["text"])
    raise InvalidRequest(
        f"{where}.content has a part of type {kind!r}; this model takes 'text' only", "messages"
    )
