"""A session as a text to read."""

from collections.abc import Iterable

from sessions.store.entries import Entry
from sessions.store.messages import text_of

_HEADINGS = {"user": "You", "assistant": "Assistant"}


def as_markdown(branch: Iterable[Entry]) -> str:
    """Return what was said on a branch; thoughts, calls and results are left out."""
    parts = [
        f"## {_HEADINGS[entry.role]}\n\n{text.strip()}\n"
        for entry in branch
        if entry.role in _HEADINGS and entry.message and (text := text_of(entry.message)).strip()
    ]
    return "\n".join(parts)
