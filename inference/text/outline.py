"""A conversation without its words, to see what a template passes over.

Words of our own tell better than the caller's, which may be short, stand in two places, or be
quoted. And what a template does with an outline stays the same when the conversation goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inference.messages import Message, Role


@dataclass(frozen=True, slots=True)
class Outline:
    """The shape of a conversation.

    messages: as many as there were, of the same roles, every text that was not empty a word.
    words: those that a template must show: of the outer system messages, the last call and the
        last result. The ones between fare alike, and searching for thousands would take long.
    """

    messages: tuple[Message, ...]
    words: tuple[str, ...]

    def is_shown_in(self, text: str) -> bool:
        return all(word in text for word in self.words)


def outline_of(messages: Sequence[Message]) -> Outline:
    """Return the outline of a conversation."""
    shape = tuple(_without_words(message, index) for index, message in enumerate(messages))
    systems = [message.text for message in shape if message.role is Role.SYSTEM and message.text]
    results = [message.text for message in shape if message.role is Role.TOOL and message.text]
    names = [call.name for message in shape for call in message.tool_calls]
    return Outline(shape, (*systems[:1], *systems[-1:], *results[-1:], *names[-1:]))


def _without_words(message: Message, index: int) -> Message:
    calls = tuple(
        replace(call, name=f"call{index}x{number}x", arguments={})
        for number, call in enumerate(message.tool_calls)
    )
    text = message.text and f"said{index}x"
    return replace(message, text=text, tool_calls=calls)
