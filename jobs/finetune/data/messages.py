"""Makes a conversation of a row: what the model is told, and the answers it learns from."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.finetune.data.formats import Format
from jobs.finetune.data.rows import BadRow, Row

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """prompt: the messages before. answers: one, or the chosen and the rejected one.

    Messages are as chat templates take them: contents are text, arguments of calls objects.
    """

    prompt: tuple[Message, ...]
    answers: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]


def conversation_of(row: Row) -> Conversation:
    """Read a row that is not bare text. Raises BadRow."""
    value, place = row.value, row.place
    tools = value.get("tools") or ()
    if not isinstance(tools, list | tuple) or not all(isinstance(tool, dict) for tool in tools):
        raise BadRow(place, "tools is not a list of objects")
    if row.format is Format.DPO:
        prompt, answers = _pair(value, place)
    elif row.format is Format.MESSAGES:
        *prompt, last = _messages(value["messages"], "messages", place)
        answers = [last]
    else:
        prompt = _said(value["prompt"], "user", "prompt", place)
        answers = [_last(_said(value["completion"], "assistant", "completion", place))]
    return Conversation(tuple(prompt), tuple(answers), tuple(tools))


def is_empty(message: Message) -> bool:
    """Whether a message says nothing and calls nothing."""
    return not message["content"].strip() and not message.get("tool_calls")


def _pair(value: Mapping[str, Any], place: str) -> tuple[list[Message], list[Message]]:
    chosen = _said(value["chosen"], "assistant", "chosen", place)
    rejected = _said(value["rejected"], "assistant", "rejected", place)
    if value.get("prompt") is not None:
        prompt = _said(value["prompt"], "user", "prompt", place)
        # Some data sets repeat the prompt in front of both answers.
        answers = [_last(_without(prompt, side)) for side in (chosen, rejected)]
    else:
        *prompt, good = chosen
        *other, bad = rejected
        if prompt != other or not prompt:
            raise BadRow(place, "no prompt, and chosen and rejected do not begin alike")
        answers = [good, bad]
    return prompt, answers


def _without(prompt: list[Message], messages: list[Message]) -> list[Message]:
    return messages[len(prompt) :] if messages[: len(prompt)] == prompt else messages


def _last(messages: list[Message]) -> Message:
    return messages[-1] if messages else {"role": "assistant", "content": ""}


def _said(value: object, role: str, name: str, place: str) -> list[Message]:
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if isinstance(value, dict):
        value = [value]
    return _messages(value, name, place)


def _messages(value: object, name: str, place: str) -> list[Message]:
    if not isinstance(value, list) or not value:
        raise BadRow(place, f"{name} is not a list of messages, nor text")
    return [_message(item, f"{name}[{index}]", place) for index, item in enumerate(value)]


def _message(value: object, name: str, place: str) -> Message:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise BadRow(place, f"{name} is no object with a role")
    message = {**value, "content": _content(value.get("content"), name, place)}
    if calls := message.get("tool_calls"):
        if not isinstance(calls, list):
            raise BadRow(place, f"{name}.tool_calls is not a list")
        message["tool_calls"] = [_call(call) for call in calls]
    return message


def _content(value: object, name: str, place: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in value
    ):
        return "".join(part["text"] for part in value)
    raise BadRow(place, f"{name}.content is neither text nor parts of text")


def _call(call: Any) -> Any:
    """A call with its arguments as an object: templates loop over them, and clients send text."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"] or "{}")
        json.dumps(arguments, ensure_ascii=False).encode()  # half a character is no text
    except (ValueError, RecursionError):
        return call
    return {**call, "function": {**function, "arguments": arguments}}
