"""What was said in a chunk, for questions and for checks."""

from memory.synthesis.clip import clip
from memory.synthesis.models import Chunk, Message

CHARACTERS = 2400
"""Of a chunk in one question, spread over its messages."""


def messages_of(chunk: Chunk) -> list[Message]:
    return list(
        Message.objects.filter(
            conversation=chunk.conversation_id,
            position__range=(chunk.start, chunk.end),
            is_copy=False,
        )
    )


def transcript(chunk: Chunk, characters: int = CHARACTERS) -> str:
    """Return who said what, short enough to ask about."""
    messages = messages_of(chunk)
    share = max(characters // max(len(messages), 1), 80)
    return "\n".join(f"{m.role}: {clip(m.text, share)}" for m in messages)


def words_of(chunk: Chunk) -> str:
    """Return all that was said, folded for comparing."""
    said = " ".join(message.text for message in messages_of(chunk))
    return " ".join(f"{chunk.label} {said}".casefold().split())
