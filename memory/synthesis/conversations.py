"""What is ingested: conversations, as a source hands them over.

Sources are made by the composition root (`settings.MEMORY_SOURCES`), since this app knows none
of those that keep conversations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Said:
    """One message. key: names it, also where another conversation repeats it.

    role: `user` or `assistant`. text: what was said, without thoughts, calls and pictures.
    at: with a time zone.
    """

    key: str
    role: str
    text: str
    at: datetime


class Source(Protocol):
    """Where conversations are kept. Thread: any; may block.

    name: how footnotes call it, a short word.
    """

    @property
    def name(self) -> str: ...

    def watermarks(self) -> Mapping[str, str]:
        """Return the name of every conversation, and a text that changes whenever it does."""

    def read(self, name: str) -> Sequence[Said]:
        """Return what is said in a conversation, oldest first; nothing if it has gone."""
