"""A tier that writes nothing and tells what it is told to tell."""

from concurrent.futures import Future
from dataclasses import dataclass, field

from inference.engine.cache.ssd.stats import FlushReport, SsdStats

STATS = SsdStats(
    folder="/cache",
    entries=2,
    bytes=300,
    max_bytes=1000,
    restores=3,
    restore_seconds_last=0.0125,
    spills=4,
    demotions=5,
    pending_snapshots=6,
    pending_spills=7,
    pending_spill_bytes=80,
    dropped_spills=9,
    failed_spills=10,
    longest_prefix=11,
)


@dataclass
class ScriptedTier:
    """report: of every flush; None for one that never ends. flushes: how many were asked for."""

    report: FlushReport | None = field(default_factory=FlushReport)
    figures: SsdStats = STATS
    flushes: int = 0

    def flush(self) -> "Future[FlushReport]":
        self.flushes += 1
        future: Future[FlushReport] = Future()
        if self.report is not None:
            future.set_result(self.report)
        return future

    def stats(self) -> SsdStats:
        return self.figures
