"""What the list of chats shows of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.store.entries import Entry
from sessions.store.messages import text_of

LONGEST_TITLE = 80
UNTITLED = "New chat"


@dataclass(frozen=True, slots=True)
class Summary:
    """session_id: of the first line; empty where that cannot be read."""

    session_id: str
    title: str
    message_count: int
    forked: bool
    pinned: bool


def summarize(entries: Sequence[Entry]) -> Summary:
    first = entries[0] if entries and entries[0].type == "session" else None
    return Summary(
        session_id=first.id.replace("\0", "") if first else "",
        title=title_of(entries),
        message_count=sum(entry.role in ("user", "assistant") for entry in entries),
        forked=bool(first and first.data.get("parentSession")),
        pinned=_pinned(entries),
    )


def title_of(entries: Sequence[Entry]) -> str:
    """The newest name that was given, else what the user said first."""
    for entry in reversed(entries):
        name = entry.data.get("name") if entry.type == "session_info" else None
        if isinstance(name, str) and (title := _short(name)):
            return title
    for entry in entries:
        if entry.role == "user" and entry.message and (title := _short(text_of(entry.message))):
            return title
    return UNTITLED


def _short(text: str) -> str:
    line = " ".join(text.replace("\0", "").split())  # databases refuse NUL
    return line if len(line) <= LONGEST_TITLE else line[: LONGEST_TITLE - 1] + "…"


def _pinned(entries: Sequence[Entry]) -> bool:
    for entry in reversed(entries):
        pinned = entry.data.get("pinned") if entry.type == "session_info" else None
        if isinstance(pinned, bool):
            return pinned
    return False
