"""What waits to be written to disk, within a limit of bytes."""

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from inference.engine.cache.ssd.header import EntryHeader


class Reason(Enum):
    """Why an entry is written."""

    SNAPSHOT = auto()  # it is in memory, and to survive a restart
    EVICTION = auto()  # it left the memory for want of room
    DEMOTION = auto()  # it left the memory because nobody used it
    GENERATION = auto()  # a checkpoint of an answer under way


class Packed(Protocol):
    """The tensors of an entry. Thread: engine only."""

    def take(self, index: int) -> bytes:
        """Return the bytes of a tensor, once, and let go of it."""

    def copy_all(self) -> None:
        """Let go of all arrays: what was not taken yet is bytes from here on."""


@dataclass(eq=False, slots=True)
class Spill:
    """An entry to be written.

    path: where; None for anywhere. cancelled: nobody wants it any more.
    """

    header: EntryHeader
    packed: Packed
    reason: Reason
    path: Path | None = None
    cancelled: bool = False

    @property
    def nbytes(self) -> int:
        return self.header.data_bytes


@dataclass(slots=True)
class SpillRoom:
    """What can be put into a queue without anything being dropped for it.

    nbytes: so much. alone: or one entry of any size.
    """

    nbytes: int = 0
    alone: bool = False

    def take(self, nbytes: int) -> bool:
        """Set room aside for an entry; returns whether there was enough."""
        if nbytes > self.nbytes and not self.alone:
            return False
        self.nbytes = max(self.nbytes - nbytes, 0)
        self.alone = self.alone and nbytes == 0
        return True


class SpillQueue:
    """First in, first out; when more than `max_bytes` wait, the oldest go. Not locked."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.in_flight: Spill | None = None
        self._waiting: deque[Spill] = deque()

    def __len__(self) -> int:
        """Count what waits, and what is being written."""
        return len(self.everything)

    @property
    def everything(self) -> list[Spill]:
        return [*([self.in_flight] if self.in_flight else []), *self._waiting]

    @property
    def waits(self) -> bool:
        return bool(self._waiting)

    @property
    def nbytes(self) -> int:
        return sum(spill.nbytes for spill in self.everything)

    @property
    def room(self) -> SpillRoom:
        return SpillRoom(max(self.max_bytes - self.nbytes, 0), alone=not self.everything)

    def put(self, spill: Spill) -> int:
        """Add an entry; returns how many others were dropped for it: never it, nor one in flight.

        Of the checkpoints of one generation only the newest waits, and that drops nothing.
        """
        if spill.path is not None:
            self._waiting = deque(other for other in self._waiting if other.path != spill.path)
        self._waiting.append(spill)
        dropped = 0
        while self.nbytes > self.max_bytes and len(self._waiting) > 1:
            self._waiting.popleft()
            dropped += 1
        return dropped

    def take(self) -> Spill:
        """Begin with the oldest."""
        self.in_flight = self._waiting.popleft()
        return self.in_flight

    def done(self) -> None:
        self.in_flight = None

    def cancel(self, path: Path) -> None:
        """Drop what is to be written to `path`."""
        self._waiting = deque(spill for spill in self._waiting if spill.path != path)
        if self.in_flight is not None and self.in_flight.path == path:
            self.in_flight.cancelled = True

    def clear(self) -> int:
        """Drop all that waits; returns how much that was."""
        dropped = len(self._waiting)
        self._waiting.clear()
        return dropped
