"""What a template works with besides its inputs: progress, counts, and the server's model."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypeVar

from jobs.dataset.client import ServerClient
from jobs.dataset.errors import CallFailed, DatasetError
from jobs.dataset.rows import Row
from jobs.emitter import Emitter

CONCURRENT = 4
"""Units at work at once: the server decodes them together."""
MOST_UNITS = 10_000
QUIET_SECONDS = 0.5  # between two stage events
STAGE = "generate"
SHARE = 0.95  # of the progress; the rest is writing

Unit = TypeVar("Unit")
Make = Callable[[Unit, ServerClient], AsyncIterator[Row]]


class Work:
    """One job's. Thread: the job's main one.

    skipped: what of the inputs, or of the answers, made no row, and how often.
    connect: makes a client; called by templates that ask the model.
    """

    def __init__(self, emit: Emitter, connect: Callable[[], ServerClient]) -> None:
        self.skipped: Counter[str] = Counter()
        self.calls = 0
        self.failed_calls = 0
        self._emit, self._connect = emit, connect
        self._told_at = 0.0

    def log(self, line: str) -> None:
        self._emit.log(line)

    def skip(self, what: str) -> None:
        """Count something that makes no row. what: in the plural, with the reason."""
        self.skipped[what] += 1

    def tell(self, done: int, total: int, what: str) -> None:
        """Tell how far the work is. what: the things that are counted, in the plural."""
        now = time.monotonic()
        if done >= total or now - self._told_at >= QUIET_SECONDS:
            self._told_at = now
            progress = SHARE * min(done / total, 1.0) if total else 0.0
            self._emit.stage(STAGE, round(progress, 4), f"{done:,} of {total:,} {what}")

    def ask_each(self, units: Sequence[Unit], make: Make[Unit]) -> list[Row]:
        """Have `make` ask the model about every unit, and return the rows in the units' order.

        A call that fails ends its unit: the rows that `make` yielded until then are kept.
        Raises ServerRefused, and DatasetError for too many units.
        """
        if len(units) > MOST_UNITS:
            raise DatasetError(
                f"the inputs hold {len(units):,} pieces to ask about, and {MOST_UNITS:,} are "
                "allowed: build several datasets"
            )
        return asyncio.run(self._ask_each(units, make))

    async def _ask_each(self, units: Sequence[Unit], make: Make[Unit]) -> list[Row]:
        gate, done = asyncio.Semaphore(CONCURRENT), 0
        client = self._connect()

        async def finish(unit: Unit) -> list[Row]:
            nonlocal done
            rows: list[Row] = []
            async with gate:
                try:
                    async for row in make(unit, client):
                        rows.append(row)
                except CallFailed:
                    pass  # the client has logged and counted it
            done += 1
            failed = f", {client.failed:,} calls failed" if client.failed else ""
            self.tell(done, len(units), f"done{failed}")
            return rows

        try:
            async with client:
                found = await asyncio.gather(*map(finish, units))
        finally:
            self.calls, self.failed_calls = client.calls, client.failed
        return [row for rows in found for row in rows]
