"""Other ways to write a conversation, for chat templates that refuse it as it is.

Each is a pure function of a conversation. `CHANGES` has them in the order in which they are
tried, least changed first.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile

from inference.messages import Message, Role

Conversation = tuple[Message, ...]


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


def as_it_is(messages: Conversation) -> Conversation:
    """Change nothing."""
    return messages


def _alternating(messages: Conversation) -> Conversation:
    return merge_adjacent(system_first(messages))


def _folded(messages: Conversation) -> Conversation:
    return fold_system(system_first(messages))


def _folded_alternating(messages: Conversation) -> Conversation:
    return merge_adjacent(_folded(messages))


def _hoisted(messages: Conversation) -> Conversation:
    return merge_adjacent(hoist_systems(messages))


def _hoisted_folded(messages: Conversation) -> Conversation:
    return merge_adjacent(fold_system(hoist_systems(messages)))


# All but the last two leave everything where it was said: text that moves to the front changes
# the beginning of the prompt, and the prefix cache finds nothing of the conversation any more.
CHANGES: tuple[Callable[[Conversation], Conversation], ...] = (
    as_it_is,
    system_first,
    _alternating,
    _folded,
    _folded_alternating,
    _hoisted,
    _hoisted_folded,
)


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
