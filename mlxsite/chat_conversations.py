"""The chats of the web app, as the memory ingests them.

Here, because the memory knows no chats and the chats ask the memory.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from memory.synthesis.conversations import Said
from sessions.errors import SessionError
from sessions.store.entries import Entry
from sessions.store.messages import text_of
from sessions.store.search import fingerprint_of
from sessions.store.store import SessionStore
from sessions.store.tree import Tree

ROLES = ("user", "assistant")
_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


class ChatConversations:
    """The branch of each chat that the user is on. Thread: any; may block."""

    name = "chat"

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    def watermarks(self) -> Mapping[str, str]:
        marks = {file.name: fingerprint_of(file.path) for file in self._store.files()}
        return {name: f"{mark[0]}-{mark[1]}" for name, mark in marks.items() if mark is not None}

    def read(self, name: str) -> Sequence[Said]:
        try:
            entries = self._store.open(name).read()
        except SessionError:
            return []
        said: list[Said] = []
        at = _time_of(entries[0].data.get("timestamp"), _BEGINNING) if entries else _BEGINNING
        for entry in Tree(entries).branch():
            at = _time_of(entry.data.get("timestamp"), at)
            if (text := _text(entry)) and entry.role is not None:
                said.append(Said(entry.id[:32], entry.role, text, at))
        return said


def _text(entry: Entry) -> str:
    if entry.message is None or entry.role not in ROLES:
        return ""
    # Half of a pair of surrogates, and null characters, are more than databases take.
    text = text_of(entry.message).encode("utf-8", "replace").decode()
    return text.replace("\0", "").strip()


def _time_of(value: object, otherwise: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else otherwise
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return otherwise
