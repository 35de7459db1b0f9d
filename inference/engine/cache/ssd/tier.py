"""Prefixes on disk, below those in memory: they survive a restart.

Every failure means at worst that a prefix is computed again: nothing here raises for what a
disk does, once the tier is open.
"""

import contextlib
import logging
import os
import time
import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from inference.engine.cache.namespaces import is_private
from inference.engine.cache.prefix import Entry
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd import entry_io
from inference.engine.cache.ssd.config import Origin, SsdConfig
from inference.engine.cache.ssd.folder import GENERATIONS, EntryFolder
from inference.engine.cache.ssd.header import BadEntry, EntryHeader, file_bytes
from inference.engine.cache.ssd.index import EntryIndex, StoredEntry
from inference.engine.cache.ssd.layers import (
    CannotPack,
    PackedSnapshot,
    restore_layers,
    same_kinds,
    to_array,
)
from inference.engine.cache.ssd.spill_queue import Reason, Spill
from inference.engine.cache.ssd.stats import FlushReport, SsdStats
from inference.engine.cache.ssd.writer import Memory, SpillWriter
from inference.engine.idle_work import IdleWork

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Read:
    header: EntryHeader
    snapshot: CacheSnapshot


@dataclass(frozen=True, slots=True)
class Restored:
    """An entry that was read: `snapshot` covers `tokens`, of which a prompt shares `length`."""

    snapshot: CacheSnapshot
    tokens: list[int]
    length: int


class SsdTier:
    """One model's prefixes on disk. Thread: engine only, where nothing else is said.

    fresh: layer caches as the model begins with them; what is read must be of their kinds.
    Raises OSError when the folder cannot be used.
    """

    def __init__(self, config: SsdConfig, origin: Origin, fresh: list[Any], idle: IdleWork) -> None:
        self.config = config
        self._origin = origin
        self._fresh = fresh
        self._index = EntryIndex()
        self.folder = EntryFolder(
            config.folder / origin.key,
            config.max_bytes,
            on_evict=lambda path: self._index.remove([path]),
        )
        self._writer = SpillWriter(config, self.folder, self._index, idle)
        self._restores = 0
        self._restore_seconds = 0.0
        self._complained = False
        # Those in memory that cannot be written at all, by their ids.
        self._misfits: weakref.WeakValueDictionary[int, CacheSnapshot] = (
            weakref.WeakValueDictionary()
        )
        self._can_write = self._can_pack(fresh)
        self._read_folder()

    def serve(self, memory: Memory) -> None:
        """Begin to write what the memory holds and what it is told to."""
        self._writer.start(memory)

    def shared(self, tokens: list[int], namespace: str) -> int:
        """Return how many tokens of a prompt some entry begins with, usable or not."""
        return self._index.find(tokens, namespace)[2]

    def restore(
        self, tokens: list[int], namespace: str, longer_than: int, fits: Callable[[int], bool]
    ) -> Restored | None:
        """Read the entry with the longest usable prefix, if that is longer than another.

        fits: tells whether there is memory for so many bytes.
        """
        while True:
            stored, length, _ = self._index.find(tokens, namespace)
            if stored is None or length <= longer_than or not fits(stored.nbytes):
                return None
            started = time.perf_counter()
            read = self._read(stored.path)
            if read is None or not read.header.covers(tokens[:length], namespace):
                self._index.remove([stored.path])
                continue
            self._restore_seconds = time.perf_counter() - started
            self._restores += 1
            return Restored(read.snapshot, read.header.tokens, length)

    def note(self, entry: Entry[CacheSnapshot]) -> None:
        """Have an entry written that is in memory, unless it is private."""
        if not self._can_write or is_private(entry.namespace):
            return
        key = (entry.namespace, tuple(entry.tokens))
        self._writer.mark(key, can_trim=entry.snapshot.can_trim)

    def spill(self, entry: Entry[CacheSnapshot], reason: Reason) -> None:
        """Write an entry that memory let go of, unless it is private or on disk already."""
        if is_private(entry.namespace) or self._index.knows(entry.tokens, entry.namespace):
            return
        if (spill := self.pack(entry, reason)) is not None:
            self._writer.put(spill)

    def demote(self, entry: Entry[CacheSnapshot]) -> bool:
        """Have an entry on disk that memory is to let go of; returns whether it may go.

        That is, if it is there already, or nothing is dropped for it from what waits. Packing
        costs, so it is done for nothing that had to stay whatever comes of it.
        """
        snapshot = entry.snapshot
        if not self._can_write or is_private(entry.namespace) or id(snapshot) in self._misfits:
            return False
        if self._index.knows(entry.tokens, entry.namespace):
            return True
        if not self._writer.has_room_for(snapshot.nbytes):  # room that no token has taken included
            return False
        spill = self.pack(entry, Reason.DEMOTION)
        if spill is None or file_bytes(spill.header) > self.config.max_bytes:
            self._misfits[id(snapshot)] = snapshot
            return False
        self._writer.put(spill)
        return True

    def pack(self, entry: Entry[CacheSnapshot], reason: Reason) -> Spill | None:
        """Make an entry ready to be written; None if its layer caches are of unknown kinds."""
        try:
            packed = PackedSnapshot(entry.snapshot)
        except CannotPack as error:
            self._complain(str(error))
            return None
        header = EntryHeader(
            origin=self._origin,
            namespace=entry.namespace,
            tokens=entry.tokens,
            can_trim=entry.snapshot.can_trim,
            created=time.time(),
            layers=packed.layers,
            tensors=tuple(packed.tensors),
        )
        return Spill(header, packed, reason)

    def put(self, spill: Spill) -> None:
        """Queue an entry to be written."""
        self._writer.put(spill)

    def read_generation(self, path: Path) -> tuple[Entry[CacheSnapshot], Mapping[str, Any]] | None:
        """Read a checkpoint of an answer; None if there is none, or it cannot be used."""
        if self._writer.is_cancelled(path):
            return None  # it may come to its name in this moment, to be deleted in the next
        read = self._read(path) if path.exists() else None
        if read is None or (extra := read.header.extra) is None:
            return None
        return Entry(read.header.tokens, read.header.namespace, read.snapshot), extra

    def drop_generation(self, path: Path) -> None:
        """Delete a checkpoint, written or not."""
        self._writer.cancel(path)

    def copy_out(self) -> None:
        """Give up the arrays of what waits to be written, for the bytes they stand for."""
        self._writer.copy_out()

    def forget(self) -> None:
        """Drop what waits to be written: it hangs on a computation that failed."""
        self._writer.forget()

    def flush(self) -> "Future[FlushReport]":
        """Write all that is to be on disk. Thread: any. Cancelled if the tier is closed first."""
        return self._writer.flush()

    def stats(self) -> SsdStats:
        """Return the figures of now. Thread: any."""
        counters, pending = self._writer.figures()
        return SsdStats(
            folder=str(self.config.folder),
            entries=pending.entries,
            bytes=self.folder.used_bytes,
            max_bytes=self.config.max_bytes,
            restores=self._restores,
            restore_seconds_last=self._restore_seconds,
            spills=counters.spills,
            demotions=counters.demotions,
            pending_snapshots=pending.pending_snapshots,
            pending_spills=pending.pending_spills,
            pending_spill_bytes=pending.pending_spill_bytes,
            dropped_spills=counters.dropped,
            failed_spills=counters.failed,
            longest_prefix=pending.longest_prefix,
        )

    def close(self) -> None:
        """Stop writing; what was not written is lost."""
        self._writer.close()

    def _read_folder(self) -> None:
        """Learn what is there; delete what is corrupt, of another origin, or superfluous."""
        for file in self.folder.scan():
            try:
                header = entry_io.read_header(file.path)
                self._check_origin(header)
            except BadEntry as error:
                self._discard(file.path, error)
                continue
            except OSError as error:
                logger.warning("cannot read %s: %s", file.path, error)
                continue
            if file.path.parent.name == GENERATIONS:
                continue
            entry = StoredEntry(file.path, len(header.tokens), file.size, header.can_trim)
            for path in self._index.add(entry, header.tokens, header.namespace):
                self.folder.discard(path)
        self.folder.trim()

    def _read(self, path: Path) -> _Read | None:
        """Read one entry; None if it cannot be used, and then it is gone if it never could be."""
        try:
            with path.open("rb") as file:
                reading = entry_io.OpenEntry(file, verify=self.config.verify)
                header = reading.header
                self._check_origin(header)
                arrays = {spec.name: to_array(data, spec) for spec, data in reading.tensors()}
            mx.eval(list(arrays.values()))
            layers = restore_layers(header.layers, arrays)
            if not same_kinds(layers, self._fresh):
                raise BadEntry("its layer caches are of other kinds than the model's")
        except FileNotFoundError:
            return None  # another process made room
        except BadEntry as error:
            self._discard(path, error)
            return None
        except (OSError, RuntimeError) as error:
            self._complain(f"{path} cannot be read: {error}")
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the oldest are evicted first
        return _Read(header, CacheSnapshot(layers, len(header.tokens)))

    def _can_pack(self, fresh: list[Any]) -> bool:
        """Tell whether layer caches of this model can be written at all."""
        try:
            PackedSnapshot(CacheSnapshot(tuple(fresh), 0))
        except CannotPack as error:
            self._complain(str(error))
            return False
        return True

    def _check_origin(self, header: EntryHeader) -> None:
        if header.origin != self._origin:
            raise BadEntry("it is of another model, or of another version of this program")

    def _discard(self, path: Path, error: BadEntry) -> None:
        logger.warning("deleted %s from the SSD cache: %s", path.name, error)
        self.folder.discard(path)

    def _complain(self, text: str) -> None:
        """Warn once; what follows is likely the same."""
        if not self._complained:
            logger.warning("the SSD cache: %s", text)
        self._complained = True
