"""Anthropic's messages to ours: one of theirs can be several, for each tool result is one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inference.api.anthropic.content import Block, invalid, media_of, text_of, to_blocks
from inference.api.json_body import boolean
from inference.messages import Message, Role, ToolCall

_SYSTEM = ("text",)
_USER = ("text", "image", "tool_result")
_ASSISTANT = ("text", "tool_use", "thinking", "redacted_thinking")
_RESULT = ("text", "image")
# Claude Code begins its system text with a line that differs from one conversation to the
# next. It means nothing to a model, and no prefix of a prompt would be found again after it.
_BILLING_LINE = re.compile(r"\Ax-anthropic-billing-header:.*\n?")
# How Claude Code sends back the input of a call that it could not read.
_UNREAD = "__unparsedToolInput"


def to_messages(system: object, raw: Sequence[Mapping[str, Any]]) -> tuple[Message, ...]:
    """Translate a conversation, in order.

    system: the field of that name, a string or blocks of text.
    Raises InvalidRequest naming the message, the block and the field at fault.
    """
    return tuple(_messages(system, raw))


def _messages(system: object, raw: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
    yield from _system(system, "system")
    names: dict[str, str] = {}  # of the tools called so far, by the id of the call
    for index, message in enumerate(raw):
        where = f"messages[{index}]"
        content = message.get("content")
        match message.get("role"):
            case "user":
                yield from _user(content, f"{where}.content", names)
            case "assistant":
                answer = _assistant(content, f"{where}.content")
                names.update((call.id, call.name) for call in answer.tool_calls)
                yield answer
            case "system":
                yield from _system(content, f"{where}.content")
            case role:
                raise invalid(
                    f"{where}.role is {role!r}, expected one of 'user', 'assistant', 'system'"
                )


def _system(content: object, where: str) -> Iterator[Message]:
    blocks = to_blocks(content, where, _SYSTEM)
    text = "".join(_BILLING_LINE.sub("", text_of([block])) for block in blocks)
    if text:
        yield Message(Role.SYSTEM, text)


def _user(content: object, where: str, names: Mapping[str, str]) -> Iterator[Message]:
    """Yield the tool results, then what the user says beside them."""
    blocks = to_blocks(content, where, _USER)
    said = [block for block in blocks if block.kind != "tool_result"]
    for block in blocks:
        if block.kind == "tool_result":
            yield _tool_result(block, names)
    if said or not blocks:
        yield Message(Role.USER, text_of(said), media=media_of(said))


def _tool_result(block: Block, names: Mapping[str, str]) -> Message:
    call_id = block.string("tool_use_id")
    blocks = to_blocks(block.fields.get("content"), f"{block.where}.content", _RESULT)
    text = text_of(blocks)
    if boolean(block.fields, "is_error", default=False):
        text = f"Error: {text}"
    extra = {"tool_call_id": call_id}
    if call_id in names:
        extra["name"] = names[call_id]
    return Message(Role.TOOL, text, media=media_of(blocks), extra=extra)


def _assistant(content: object, where: str) -> Message:
    """Return an earlier answer, without its thoughts: the contract drops them."""
    blocks = to_blocks(content, where, _ASSISTANT)
    calls = tuple(_call(block) for block in blocks if block.kind == "tool_use")
    return Message(Role.ASSISTANT, text_of(blocks), tool_calls=calls)


def _call(block: Block) -> ToolCall:
    name = block.string("name")
    if not name:
        raise invalid(f"{block.where}.name must not be empty")
    return ToolCall(block.string("id"), name, _arguments(block))


def _arguments(block: Block) -> Mapping[str, Any]:
    """Return the input of a call; one that could not be read, as the model wrote it."""
    arguments = block.fields.get("input")
    if arguments is None:
        return {}
    if not isinstance(arguments, dict):
        raise invalid(f"{block.where}.input must be an object")
    match arguments.get(_UNREAD):
        case {"raw": str(raw)}:
            return {"input": raw}
    return arguments
