"""What the tier on disk tells of itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SsdStats:
    """Figures of now; counters run from the start of the engine.

    folder: where the entries are. entries, bytes, max_bytes: what is there, and its limit.
    restores: lookups that took a prefix from disk; restore_seconds_last: how long the last took.
    spills: files written. demotions: prefixes that left the memory because nobody used them.
    pending_snapshots: prefixes that are to be on disk and are not.
    pending_spills, pending_spill_bytes: what waits to be written, or is being written.
    dropped_spills: what had to leave that queue. failed_spills: what could not be written.
    longest_prefix: tokens of the longest entry.
    """

    folder: str
    entries: int
    bytes: int
    max_bytes: int
    restores: int
    restore_seconds_last: float
    spills: int
    demotions: int
    pending_snapshots: int
    pending_spills: int
    pending_spill_bytes: int
    dropped_spills: int
    failed_spills: int
    longest_prefix: int


@dataclass(frozen=True, slots=True)
class FlushReport:
    """What came of making everything durable that is to be.

    flushed: snapshots written now. missing: snapshots that are neither in memory nor on disk.
    pending_*: what is left, as `SsdStats` has it, the missing ones included.
    dropped, failed: spills that ended so meanwhile.
    """

    flushed: int = 0
    missing: int = 0
    pending_snapshots: int = 0
    pending_spills: int = 0
    pending_spill_bytes: int = 0
    dropped: int = 0
    failed: int = 0
    seconds: float = 0.0
    entries: int = 0
    longest_prefix: int = 0

    @property
    def durable(self) -> bool:
        """Whether nothing is left that a restart would lose."""
        left = self.pending_snapshots + self.pending_spills + self.missing
        return not (left or self.dropped or self.failed)
