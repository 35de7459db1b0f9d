"""What of a served model's prefixes is to outlive the process, and whether it does."""

import asyncio
import logging
from concurrent.futures import CancelledError, Future
from typing import Protocol

from inference.engine.cache.ssd.stats import FlushReport, SsdStats

logger = logging.getLogger(__name__)


class Tier(Protocol):
    """Keeps prefixes on disk. Any thread."""

    def flush(self) -> "Future[FlushReport]":
        """Write all that is to be on disk. Cancelled if the tier is closed first."""

    def stats(self) -> SsdStats:
        """Return the figures of now."""


class Durability:
    """Any thread. tier: None where nothing is kept."""

    def __init__(self, tier: Tier | None = None) -> None:
        self._tier = tier

    def stats(self) -> SsdStats | None:
        """Return the figures of now; None where nothing is kept."""
        return None if self._tier is None else self._tier.stats()

    async def flush(self) -> FlushReport:
        """Write all that is to be on disk, and tell what came of it."""
        if self._tier is None:
            return FlushReport()
        try:
            return await asyncio.shield(asyncio.wrap_future(self._tier.flush()))
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            return self._left()  # the engine ended first

    def begin(self) -> None:
        """Begin to write what is to be on disk, and wait for nothing."""
        if self._tier is not None:
            self._tier.flush()

    def flush_within(self, seconds: float) -> None:
        """Write what is to be on disk, waiting no longer than this; logs what is left."""
        if self._tier is None:
            return
        try:
            report = self._tier.flush().result(seconds)
        except (CancelledError, TimeoutError):
            report = self._left()
        if not report.durable:
            logger.warning(
                "prefixes are lost: %d that were not written to the SSD cache, %d that waited "
                "to be written, %d that could not be",
                report.pending_snapshots,
                report.pending_spills,
                report.failed,
            )

    def _left(self) -> FlushReport:
        """Return what a flush that did not end leaves."""
        stats = self.stats()
        assert stats is not None, "only a tier is flushed"
        return FlushReport(
            pending_snapshots=stats.pending_snapshots,
            pending_spills=stats.pending_spills,
            pending_spill_bytes=stats.pending_spill_bytes,
            entries=stats.entries,
            longest_prefix=stats.longest_prefix,
        )
