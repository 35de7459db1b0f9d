"""Other ways to write calls of tools and their results, for templates that refuse them.

Each is a pure function of a conversation.
"""

import hashlib
import json
from dataclasses import replace

from inference.messages import Message, Role, ToolCall

Conversation = tuple[Message, ...]

# Mistral's templates demand nine letters or digits.
_SHORT_ID_LENGTH = 9


def shorten_call_ids(messages: Conversation) -> Conversation:
    """Give every call an id of nine letters and digits, and its result the same."""
    return tuple(_with_short_ids(message) for message in messages)


def text_as_thoughts(messages: Conversation) -> Conversation:
    """Put what was said before calls behind the thoughts, for templates that take one of both."""
    return tuple(_with_text_in_thoughts(message) for message in messages)


def calls_as_text(messages: Conversation) -> Conversation:
    """Write calls into the assistant's text and results into the user's, as Qwen's models do.

    For templates without tools: what the tools said must reach the model.
    """
    return tuple(_as_text(message) for message in messages)


def _with_short_ids(message: Message) -> Message:
    calls = tuple(replace(call, id=_short_id(call.id)) for call in message.tool_calls)
    answered = message.extra.get("tool_call_id")
    if answered is None:
        return replace(message, tool_calls=calls)
    extra = {**message.extra, "tool_call_id": _short_id(answered)}
    return replace(message, tool_calls=calls, extra=extra)


def _with_text_in_thoughts(message: Message) -> Message:
    if not (message.tool_calls and message.text and message.reasoning):
        return message
    return replace(message, text="", reasoning=f"{message.reasoning}\n\n{message.text}")


def _short_id(call_id: str) -> str:
    raw = call_id.encode(errors="surrogatepass")
    return hashlib.sha256(raw).hexdigest()[:_SHORT_ID_LENGTH]


def _as_text(message: Message) -> Message:
    if message.role is Role.TOOL:
        return Message(Role.USER, f"<tool_response>\n{message.text}\n</tool_response>")
    if not message.tool_calls:
        return message
    texts = [message.text, *(_call_text(call) for call in message.tool_calls)]
    return replace(message, text="\n".join(text for text in texts if text), tool_calls=())


def _call_text(call: ToolCall) -> str:
    written = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
    return f"<tool_call>\n{written}\n</tool_call>"
