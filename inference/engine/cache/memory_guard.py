"""Keeps the model within its memory while it runs.

Admission bounds each request; requests together, and what the prefix cache holds, are
bounded here, before memory is asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class OutOfMemory(Exception):
    """A sequence had to end because memory ran out; the text says how much and what helps."""


class Evictable(Protocol):
    """What gives memory back, piece by piece."""

    def evict_oldest(self) -> object:
        """Free the memory of one entry; returns something false if there was none."""


@dataclass(frozen=True, slots=True)
class MemoryGuard:
    """Thread: engine only.

    limit_bytes: what weights, caches and computations may take together.
    headroom_bytes: what the computations of one step may need on top of what is held.
    in_use: returns the bytes held now.
    """

    limit_bytes: int
    headroom_bytes: int
    in_use: Callable[[], int]

    def is_short(self, extra_bytes: int = 0) -> bool:
        """Tell whether a step may need more than there is, with so much held beside the rest."""
        return self.in_use() + extra_bytes + self.headroom_bytes > self.limit_bytes

    def make_room(self, prefixes: Evictable, extra_bytes: int = 0) -> None:
        """Evict prefixes, oldest first, until a step fits; raises OutOfMemory if none helps."""
        while self.is_short(extra_bytes):
            if not prefixes.evict_oldest():
                raise OutOfMemory(
                    f"memory ran out: {self.in_use() / 1e9:.2f} GB in use, "
                    f"{self.headroom_bytes / 1e9:.2f} GB needed for a step, "
                    f"{self.limit_bytes / 1e9:.2f} GB usable; shorten the prompt, run fewer "
                    "requests at once or raise --memory-budget"
                )
