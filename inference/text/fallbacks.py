"""Other ways to write a conversation, for chat templates that refuse it as it is.

Each is a pure function of a conversation.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from inference.messages import Message, Role

Conversation = tuple[Message, ...]

# Mistral's templates demand nine letters or digits.
_SHORT_ID_LENGTH = 9


def alternatives(messages: Conversation) -> Iterator[Conversation]:
    """Yield the conversation as it is, then every other way to write it, least changed first.

    All but the last two leave everything where it was said: text that moves to the front changes
    the beginning of the prompt, and the prefix cache finds nothing of the conversation any more.
    """
    yield messages
    tried = [messages]
    in_place, hoisted = system_first(messages), hoist_systems(messages)
    for candidate in (
        in_place,
        merge_adjacent(in_place),
        fold_system(in_place),
        merge_adjacent(fold_system(in_place)),
        merge_adjacent(hoisted),
        merge_adjacent(fold_system(hoisted)),
    ):
        if candidate not in tried:
            tried.append(candidate)
            yield candidate


def system_first(messages: Conversation) -> Conversation:
    """Merge the leading system messages into one; later ones become the user's, in place."""
    leading = tuple(takewhile(_is_system, messages))
    rest = messages[len(leading) :]
    later = (replace(item, role=Role.USER) if _is_system(item) else item for item in rest)
    return (*_merge_systems(leading), *later)


def hoist_systems(messages: Conversation) -> Conversation:
    """Merge all system messages into one at the front, in their order."""
    systems = tuple(filter(_is_system, messages))
    return (*_merge_systems(systems), *(item for item in messages if not _is_system(item)))


def fold_system(messages: Conversation) -> Conversation:
    """Put a leading system message before the first user's text, for templates without one."""
    if not messages or not _is_system(messages[0]):
        return messages
    system, *rest = messages
    for index, message in enumerate(rest):
        if message.role is Role.USER:
            rest[index] = replace(message, text=_join((system.text, message.text)))
            return tuple(rest)
    return (replace(system, role=Role.USER), *rest)


def merge_adjacent(messages: Conversation) -> Conversation:
    """Merge messages of one role in a row, for templates whose roles must alternate.

    Results of tools stay apart: each answers a call of its own.
    """
    merged: list[Message] = []
    for message in messages:
        if merged and message.role is merged[-1].role and message.role is not Role.TOOL:
            merged[-1] = _merge(merged[-1], message)
        else:
            merged.append(message)
    return tuple(merged)


def shorten_call_ids(messages: Conversation) -> Conversation:
    """Give every call an id of nine letters and digits, and its result the same."""
    return tuple(_with_short_ids(message) for message in messages)


def _is_system(message: Message) -> bool:
    return message.role is Role.SYSTEM


def _merge_systems(systems: Conversation) -> Conversation:
    if not systems:
        return ()
    return (replace(systems[0], text=_join(message.text for message in systems)),)


def _merge(first: Message, second: Message) -> Message:
    thoughts = [message.reasoning for message in (first, second) if message.reasoning is not None]
    return replace(
        first,
        text=_join((first.text, second.text)),
        media=first.media + second.media,
        reasoning=_join(thoughts) if thoughts else None,
        tool_calls=first.tool_calls + second.tool_calls,
    )


def _join(texts: Iterable[str]) -> str:
    """Join texts by a blank line, leaving empty ones out."""
    return "\n\n".join(text for text in texts if text)


def _with_short_ids(message: Message) -> Message:
    calls = tuple(replace(call, id=_short_id(call.id)) for call in message.tool_calls)
    answered = message.extra.get("tool_call_id")
    if answered is None:
        return replace(message, tool_calls=calls)
    extra = {**message.extra, "tool_call_id": _short_id(answered)}
    return replace(message, tool_calls=calls, extra=extra)


def _short_id(call_id: str) -> str:
    raw = call_id.encode(errors="surrogatepass")
    return hashlib.sha256(raw).hexdigest()[:_SHORT_ID_LENGTH]
