"""Our messages as chat templates read them: OpenAI's nesting, and text that is never null."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inference.messages import Message, ToolCall


def template_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return messages for a template; arguments of calls are mappings.

    Fields that a message lacks are absent, and `content` is always text, because templates
    concatenate it.
    """
    return [_template_message(message) for message in messages]


def with_arguments_as_text(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return template messages with the arguments of calls as JSON text.

    Some templates concatenate them, as if they were what the model wrote.
    """
    return [
        {**message, "tool_calls": [_with_text(call) for call in message["tool_calls"]]}
        if "tool_calls" in message
        else {**message}
        for message in messages
    ]


def _template_message(message: Message) -> dict[str, Any]:
    result = {**message.extra, "role": message.role.value, "content": message.text}
    if message.reasoning is not None:
        # By both names that templates know.
        result["reasoning_content"] = result["thinking"] = message.reasoning
    if message.tool_calls:
        result["tool_calls"] = [_template_call(call) for call in message.tool_calls]
    return result


def _template_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _with_text(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    text = json.dumps(function["arguments"], ensure_ascii=False)
    return {**call, "function": {**function, "arguments": text}}
