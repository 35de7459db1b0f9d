"""The thread that writes entries to disk, and decides when.

Everything goes through one queue, one entry at a time. The bytes of a tensor are copied on the
engine thread, a tensor at a time, as `IdleWork`: while sequences run, that waits. Files are
written here, and looked for here, so that no generation waits for either. What the engine does to
a disk itself is to read the entry that a prompt begins with, and to read and delete checkpoints.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from inference.engine.cache.ssd.config import SsdConfig
from inference.engine.cache.ssd.dirty_keys import DirtyKeys
from inference.engine.cache.ssd.entry_writer import EntryWriter
from inference.engine.cache.ssd.folder import EntryFolder, NoRoom
from inference.engine.cache.ssd.index import EntryIndex
from inference.engine.cache.ssd.key_tree import Key
from inference.engine.cache.ssd.spill_queue import Reason, Spill, SpillQueue
from inference.engine.cache.ssd.stats import FlushReport
from inference.engine.idle_work import IdleWork, IdleWorkEnded

logger = logging.getLogger(__name__)

SETTLE_SECONDS: Final = 1.0  # after the newest prefix, before it is written
UNSETTLED_SECONDS: Final = 10.0  # after which it is written though newer ones keep coming
BUSY_SECONDS: Final = 5.0  # until the next look, when requests came in between
_SWEEPS: Final = (0.05, 30.0)  # seconds between looks for what nobody uses: least, most
_UNCHECKED: Final = 1024  # of more, the last are looked for; a flush looks for all
_LOOKS: Final = 16  # into the memory at a time
_ROUNDS: Final = 2  # of a flush: more may come for as long as it takes
_CLOSE_SECONDS: Final = 10.0  # for a file operation under way when the writer is closed


class Memory(Protocol):
    """The prefixes in memory, as the writer needs them. Thread: engine only."""

    def holds(self, key: Key) -> bool:
        """Tell whether a prefix is in memory, by itself or as a part of a longer one."""

    def spill_of(self, key: Key) -> Spill | None:
        """Return what would make a prefix durable; None if it is not in memory any more."""

    def demote(self, unused_seconds: float) -> Iterator[int]:
        """Move what nobody used for so long to disk, as far as there is room for it.

        What is there already needs none. A little is done for each item, which tells how many
        prefixes that were.
        """


@dataclass(frozen=True, slots=True)
class Counters:
    """As `SsdStats` has them. snapshots: of the spills, those that stayed in memory."""

    spills: int = 0
    snapshots: int = 0
    demotions: int = 0
    dropped: int = 0
    failed: int = 0


class SpillWriter:
    """Any thread, where nothing else is said."""

    def __init__(
        self,
        config: SsdConfig,
        folder: EntryFolder,
        index: EntryIndex,
        idle: IdleWork,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._entries = EntryWriter(folder, index, idle)
        self._folder = folder
        self._index = index
        self._idle = idle
        self._clock = clock
        self._memory: Memory | None = None
        self._thread = threading.Thread(target=self._main, name="ssd-cache", daemon=True)
        self._changed = threading.Condition()  # guards all below
        self._queue = SpillQueue(config.queue_bytes)
        self._dirty = DirtyKeys()
        # Known to be on disk as they came, and whether each can be cut: are their files there?
        self._unchecked: deque[tuple[Key, bool]] = deque(maxlen=_UNCHECKED)
        self._flushes: list[Future[FlushReport]] = []
        self._counters = Counters()
        self._due: float | None = None  # when dirty keys are written
        self._unsettled_since: float | None = None
        self._sweep_at = None if config.demote_idle_seconds is None else self._next_sweep()
        self._closing = False
        self._warned = False
        self._failing = False  # the disk did, at the last try

    def start(self, memory: Memory) -> None:
        """Begin to write, what is in memory among the rest."""
        self._memory = memory
        self._thread.start()

    def mark(self, key: Key, *, can_trim: bool) -> None:
        """Note a prefix that comes into memory and is to be on disk. Thread: engine only."""
        known = self._index.knows(list(key[1]), key[0])
        with self._changed:
            if known:
                self._unchecked.append((key, can_trim))
            else:
                self._dirty.lose_unless(self._is_held)
                self._add(key, can_trim=can_trim)
            self._changed.notify()

    def put(self, spill: Spill) -> None:
        """Queue an entry; over the limit, the oldest that wait are dropped."""
        with self._changed:
            self._count(dropped=self._queue.put(spill))
            self._set_haste()
            self._changed.notify()

    def has_room_for(self, nbytes: int) -> bool:
        """Tell whether so much could be put, with nothing dropped for it and a disk that works."""
        with self._changed:
            return not self._failing and self._queue.has_room_for(nbytes)

    def cancel(self, path: Path) -> None:
        """Do not write to `path` after all, and delete what is there."""
        with self._changed:
            self._queue.cancel(path)
            self._set_haste()
        self._folder.discard(path)

    def is_cancelled(self, path: Path) -> bool:
        """Tell whether `path` is being written although nobody wants it any more."""
        with self._changed:
            spill = self._queue.in_flight
            return spill is not None and spill.path == path and spill.cancelled

    def copy_out(self) -> None:
        """Let go of the arrays of all that waits; their bytes are kept. Thread: engine only."""
        with self._changed:
            waiting = self._queue.everything
        for spill in waiting:
            spill.packed.copy_all()

    def forget(self) -> None:
        """Drop what waits; what was to be on disk and is not is missing from here on."""
        with self._changed:
            self._count(dropped=self._queue.clear())
            self._set_haste()

    def flush(self) -> "Future[FlushReport]":
        """Write all that is to be on disk, without waiting for the engine to be idle.

        Cancelled if the writer is closed before.
        """
        future: Future[FlushReport] = Future()
        with self._changed:
            if self._closing or not self._thread.is_alive():
                future.cancel()
                return future
            self._flushes.append(future)
            self._set_haste()
            self._changed.notify()
        return future

    def figures(self) -> tuple[Counters, FlushReport]:
        """Return the counters, and what a flush would have to do."""
        with self._changed:
            return self._counters, self._pending()

    def close(self) -> None:
        """Stop; what was not written is lost. Thread: engine only, or when that has ended."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._idle.end()
        if self._thread.ident is not None:
            self._thread.join(_CLOSE_SECONDS)
        self._memory = None  # it holds us; what it holds should not wait for the garbage collector

    # The writer's own thread.

    def _main(self) -> None:
        try:
            while (job := self._next_job()) is not None:
                try:
                    job()
                except IdleWorkEnded:
                    break
                except Exception:
                    logger.exception("the SSD cache failed at something; it goes on")
        finally:
            with self._changed:
                self._closing = True
                flushes, self._flushes = self._flushes, []
            for future in flushes:
                future.cancel()

    def _next_job(self) -> Callable[[], object] | None:
        """Wait for something to do; None to end."""
        with self._changed:
            while not self._closing:
                now = self._clock()
                if self._flushes:
                    return self._flush
                if self._unchecked:
                    return self._check
                if self._queue.waits:
                    return self._write_next
                if self._due is not None and self._due <= now:
                    return self._write_behind
                if self._sweep_at is not None and self._sweep_at <= now:
                    return self._sweep
                times = [at - now for at in (self._due, self._sweep_at) if at is not None]
                self._changed.wait(min(times, default=None))
            return None

    def _check(self) -> None:
        """Have what came again written again, if somebody deleted its file."""
        with self._changed:
            keys = list(self._unchecked)
            self._unchecked.clear()
        self._add_held(
            [item for item in keys if not self._index.covers(list(item[0][1]), item[0][0])]
        )

    def _write_behind(self) -> None:
        """Queue the next prefix, unless there are requests."""
        with self._changed:
            if self._idle.busy:
                self._due = self._clock() + BUSY_SECONDS
                return
            key = self._dirty.next()
            if key is None:
                self._due = self._unsettled_since = None
        if key is not None:
            self._queue_snapshot(key)

    def _queue_snapshot(self, key: Key) -> None:
        """Queue a prefix, unless it is on disk or lost."""
        if self._index.covers(list(key[1]), key[0]):
            with self._changed:
                self._dirty.discard([key])
            return
        memory = self._memory
        try:
            spill = self._idle.run(lambda: memory.spill_of(key) if memory else None)
        except IdleWorkEnded:
            raise
        except Exception as error:  # noqa: BLE001 - of the engine's, which goes on
            self._note_fault(error)
            return
        if spill is not None:
            self.put(spill)
            return
        with self._changed:
            if not self._queue.will_cover(key):  # it may have left the memory just now
                self._dirty.lose(key)

    def _sweep(self) -> None:
        """Move to disk what nobody used for long, unless there is something better to do."""
        seconds, memory = self._config.demote_idle_seconds, self._memory
        assert seconds is not None, "swept only if asked for"
        with self._changed:
            self._sweep_at = self._next_sweep()
            if self._idle.busy or memory is None:
                return
            failing = self._failing
        if failing:
            self._try_one()
        self._index.look_for_gone()  # before what they hold leaves the memory
        pieces = memory.demote(seconds)
        while (demoted := self._idle.run(lambda: next(pieces, None))) is not None:
            with self._changed:
                self._count(demotions=demoted)
            if self._idle.busy or self._idle.hasty:
                break  # the rest keeps until the next look

    def _try_one(self) -> None:
        """Queue a prefix that stays in memory, to see whether the disk works again."""
        with self._changed:
            key = self._dirty.next()
            if key is None:
                self._dirty.retry()
                key = self._dirty.next()
        if key is not None:
            self._queue_snapshot(key)

    def _next_sweep(self) -> float:
        least, most = _SWEEPS
        seconds = self._config.demote_idle_seconds or 0.0
        return self._clock() + min(max(seconds / 4, least), most)

    def _flush(self) -> None:
        started = time.perf_counter()
        with self._changed:
            before, served = self._counters, len(self._flushes)
            self._due = self._unsettled_since = None
        self._check()
        self._look_for_gone()
        self._drain()
        done: set[Key] = set()
        for _ in range(_ROUNDS):
            with self._changed:
                held = self._dirty.held
            keys = [key for key in held if key not in done]
            for key in keys:
                self._queue_snapshot(key)
                self._drain()
            done.update(keys)
        with self._changed:
            now = self._counters
            report = replace(
                self._pending(),
                flushed=now.snapshots - before.snapshots,
                missing=self._dirty.num_lost,
                dropped=now.dropped - before.dropped,
                failed=now.failed - before.failed,
                seconds=time.perf_counter() - started,
            )
            # Who came later is to have what came later.
            flushes, self._flushes = self._flushes[:served], self._flushes[served:]
            self._set_haste()
        for future in flushes:
            if future.set_running_or_notify_cancel():
                future.set_result(report)

    def _look_for_gone(self) -> None:
        """Have what the memory still holds of files that somebody deleted written again."""
        try:
            self._index.retain({file.path for file in self._folder.scan()})
        except OSError as error:
            self._note_failure(error)
        self._add_held(list(self._index.take_gone().items()))

    def _add_held(self, gone: list[tuple[Key, bool]]) -> None:
        """Note those that are still in memory; the others are nowhere, and nobody asks for them."""
        memory = self._memory
        for start in range(0, len(gone), _LOOKS):
            some = gone[start : start + _LOOKS]
            held = self._idle.run(partial(_held, some, memory))
            with self._changed:
                for key, can_trim in held:
                    self._add(key, can_trim=can_trim)

    def _drain(self) -> None:
        """Write what waits now; more may come all the time."""
        with self._changed:
            waiting = len(self._queue)
        for _ in range(waiting):
            if not self._write_next():
                break

    def _write_next(self) -> bool:
        """Write the oldest entry of the queue; returns whether there was one."""
        with self._changed:
            if self._closing:
                raise IdleWorkEnded
            if not self._queue.waits:
                return False
            spill = self._queue.take()
        try:
            self._write(spill)
        except (OSError, NoRoom) as error:
            self._note_failure(error)
        except IdleWorkEnded:
            raise
        except Exception as error:  # noqa: BLE001 - of the engine's, which goes on
            self._note_fault(error)
        finally:
            with self._changed:
                self._queue.done()
                self._set_haste()
        return True

    def _write(self, spill: Spill) -> None:
        was_needed = self._entries.write(spill)
        with self._changed:
            if was_needed:
                self._warned = self._failing = False
                self._count(spills=1, snapshots=int(spill.reason is Reason.SNAPSHOT))
            if spill.is_prefix:
                self._dirty.discard_covered(spill.key, can_trim=spill.header.can_trim)

    def _note_fault(self, error: Exception) -> None:
        logger.error("an entry of the SSD cache could not be made", exc_info=error)
        self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        with self._changed:
            self._count(failed=1)
            self._failing = self._failing or isinstance(error, OSError)
            warned, self._warned = self._warned, True
        if not warned:
            logger.warning("the SSD cache cannot write, prefixes stay in memory only: %s", error)

    # Whoever holds the lock.

    def _pending(self) -> FlushReport:
        return FlushReport(
            pending_snapshots=len(self._dirty),
            pending_spills=len(self._queue),
            pending_spill_bytes=self._queue.nbytes,
            entries=len(self._index),
            longest_prefix=self._index.longest,
        )

    def _add(self, key: Key, *, can_trim: bool) -> None:
        """Note a prefix that is to be on disk, and when to write it."""
        self._dirty.add(key, can_trim=can_trim)
        self._dirty.retry()
        if self._config.write_behind:
            now = self._clock()
            self._unsettled_since = self._unsettled_since or now
            self._due = min(now + SETTLE_SECONDS, self._unsettled_since + UNSETTLED_SECONDS)

    def _is_held(self, key: Key) -> bool:
        """Tell whether a prefix is in memory or waits to be written. Thread: engine only."""
        in_memory = self._memory is not None and self._memory.holds(key)
        return in_memory or self._queue.will_cover(key)

    def _set_haste(self) -> None:
        generations = any(s.reason is Reason.GENERATION for s in self._queue.everything)
        self._idle.hasty = bool(self._flushes) or generations

    def _count(self, **added: int) -> None:
        values = {name: getattr(self._counters, name) + count for name, count in added.items()}
        self._counters = replace(self._counters, **values)


def _held(keys: list[tuple[Key, bool]], memory: Memory | None) -> list[tuple[Key, bool]]:
    return [] if memory is None else [item for item in keys if memory.holds(item[0])]
