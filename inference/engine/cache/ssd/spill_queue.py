"""What waits to be written to disk, within a limit of bytes."""

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Protocol

from inference.engine.cache.ssd.header import EntryHeader
from inference.engine.cache.ssd.key_tree import Key


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

    @property
    def key(self) -> Key:
        return self.header.namespace, tuple(self.header.tokens)

    @property
    def is_prefix(self) -> bool:
        """Whether prompts are to find it; a checkpoint is for its own request alone."""
        return self.reason is not Reason.GENERATION

    def will_cover(self, tokens: list[int], namespace: str) -> bool:
        """Tell whether a prefix is on disk once this is."""
        ours, last = self.header.tokens, len(tokens) - 1
        if not self.is_prefix or len(ours) <= last or ours[last] != tokens[last]:
            return False  # most part from one another somewhere, and slices cost
        can_be = self.header.can_trim or len(ours) == len(tokens)
        return can_be and self.header.covers(tokens, namespace)


class SpillQueue:
    """First in, first out; when more than `max_bytes` wait, the oldest go. Not locked."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.in_flight: Spill | None = None
        self.nbytes = 0  # of everything
        self._waiting: deque[Spill] = deque()

    def __len__(self) -> int:
        """Count what waits, and what is being written."""
        return len(self._waiting) + (self.in_flight is not None)

    @property
    def everything(self) -> list[Spill]:
        return [*([self.in_flight] if self.in_flight else []), *self._waiting]

    @property
    def waits(self) -> bool:
        return bool(self._waiting)

    def will_cover(self, key: Key) -> bool:
        """Tell whether a prefix is on disk once all this is written."""
        namespace, tokens = key[0], list(key[1])
        return any(spill.will_cover(tokens, namespace) for spill in self.everything)

    def has_room_for(self, nbytes: int) -> bool:
        """Tell whether so much can be put without anything being dropped; alone, all can."""
        return not len(self) or self.nbytes + nbytes <= self.max_bytes

    def put(self, spill: Spill) -> int:
        """Add an entry; returns how many others were dropped for it: never it, nor one in flight.

        Of the checkpoints of one generation only the newest waits, and that drops nothing.
        """
        if spill.path is not None:
            self._remove(spill.path)
        self._waiting.append(spill)
        self.nbytes += spill.nbytes
        dropped = 0
        while self.nbytes > self.max_bytes and len(self._waiting) > 1:
            self.nbytes -= self._waiting.popleft().nbytes
            dropped += 1
        return dropped

    def take(self) -> Spill:
        """Begin with the oldest."""
        self.in_flight = self._waiting.popleft()
        return self.in_flight

    def done(self) -> None:
        if self.in_flight is not None:
            self.nbytes -= self.in_flight.nbytes
        self.in_flight = None

    def cancel(self, path: Path) -> None:
        """Drop what is to be written to `path`."""
        self._remove(path)
        if self.in_flight is not None and self.in_flight.path == path:
            self.in_flight.cancelled = True

    def clear(self) -> int:
        """Drop all that waits; returns how much that was."""
        dropped = len(self._waiting)
        self._waiting.clear()
        self.nbytes = 0 if self.in_flight is None else self.in_flight.nbytes
        return dropped

    def _remove(self, path: Path) -> None:
        removed = [spill for spill in self._waiting if spill.path == path]
        if removed:
            self._waiting = deque(spill for spill in self._waiting if spill.path != path)
            self.nbytes -= sum(spill.nbytes for spill in removed)
