"""Items to messages: several items of one answer are one message of the assistant's."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from inference.api.call_arguments import arguments_of
from inference.api.responses.content import Content, invalid, to_content
from inference.api.responses.input_items import item_type
from inference.api.responses.store import Item
from inference.api.responses.tools import ToolBox, ToolKind, ToolName
from inference.messages import Message, Role, ToolCall

# No chat template knows `developer`, the newer name of `system`.
_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")


def to_messages(
    instructions: str | None, items: Iterable[tuple[str, Item]], box: ToolBox
) -> tuple[Message, ...]:
    """Translate a conversation.

    items: each with its place in the request, for errors.
    Instructions and the system messages that lead the conversation become one. Later ones
    stay where they are: before what was said earlier, they would change a prompt of which
    the beginning has been computed.
    Items of tools that run elsewhere are passed over.
    Raises InvalidRequest naming the item and the field at fault.
    """
    messages = tuple(_messages(items, box))
    leading = tuple(takewhile(lambda message: message.role is Role.SYSTEM, messages))
    texts = [instructions, *(message.text for message in leading)]
    media = tuple(kind for message in leading for kind in message.media)
    text = "\n\n".join(text for text in texts if text)
    system = (Message(Role.SYSTEM, text, media=media),) if text or media else ()
    return system + messages[len(leading) :]


@dataclass(slots=True)
class _Answer:
    """An answer of the model's, of which more items may come."""

    content: Content | None = None
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)

    @property
    def has_said(self) -> bool:
        """Whether there is more than thoughts."""
        return self.content is not None or bool(self.calls)

    def messages(self) -> Iterator[Message]:
        """Yield the answer; thoughts that led to nothing are none."""
        if self.has_said:
            content = self.content or Content("")
            yield Message(
                Role.ASSISTANT,
                content.text,
                media=content.media,
                reasoning=self.reasoning or None,
                tool_calls=tuple(self.calls),
            )


def _messages(items: Iterable[tuple[str, Item]], box: ToolBox) -> Iterator[Message]:
    answer = _Answer()
    names: dict[str, str] = {}  # of the tools called so far, by the id of the call
    for where, item in items:
        kind = item_type(item)
        role = _role(item, where) if kind == "message" else None
        begins_answer = kind == "reasoning" or role is Role.ASSISTANT
        if kind in _OUTPUTS or (answer.has_said if begins_answer else role is not None):
            yield from answer.messages()
            answer = _Answer()
        if kind == "reasoning":
            answer.reasoning += _reasoning(item, where)
        elif kind in _CALLS:
            call = _call(item, where, box)
            names[call.id] = call.name
            answer.calls.append(call)
        elif kind in _OUTPUTS:
            yield _output(item, where, names)
        elif role is not None:
            content = to_content(item.get("content"), f"{where}.content")
            if role is Role.ASSISTANT:
                answer.content = content
            else:
                yield Message(role, content.text, media=content.media)
    yield from answer.messages()


def _role(item: Item, where: str) -> Role:
    role = item.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        known = ", ".join(f"'{name}'" for name in _ROLES)
        raise invalid(f"{where}.role is {role!r}, expected one of {known}")
    return _ROLES[role]


def _reasoning(item: Item, where: str) -> str:
    """Return the thoughts that can be read, in full if they are there, else as a summary."""
    for name in ("content", "summary"):
        if text := to_content(item.get(name), f"{where}.{name}").text:
            return text
    return ""


def _call(item: Item, where: str, box: ToolBox) -> ToolCall:
    namespace = item.get("namespace")
    if not isinstance(namespace, str | None):
        raise invalid(f"{where}.namespace must be a string")
    name = _string(item, "name", where)
    if not name:
        raise invalid(f"{where}.name must not be empty")
    call_id = _string(item, "call_id", where)
    arguments: Mapping[str, Any]
    if item_type(item) == "custom_tool_call":
        kind, arguments = ToolKind.CUSTOM, {"input": _string(item, "input", where)}
    else:
        kind, arguments = ToolKind.FUNCTION, _arguments(item.get("arguments"), where)
    return ToolCall(call_id, box.flat_name(ToolName(kind, name, namespace)), arguments)


def _arguments(value: object, where: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    if not isinstance(value, str):
        raise invalid(f"{where}.arguments must be a string")
    return arguments_of(value)


def _output(item: Item, where: str, names: Mapping[str, str]) -> Message:
    call_id = _string(item, "call_id", where)
    content = to_content(item.get("output"), f"{where}.output")
    extra = {"tool_call_id": call_id}
    if call_id in names:
        extra["name"] = names[call_id]
    return Message(Role.TOOL, content.text, media=content.media, extra=extra)


def _string(item: Item, name: str, where: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise invalid(f"{where}.{name} must be a string")
    return value
