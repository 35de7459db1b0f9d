"""Writes one entry to disk, with the engine's help."""

from functools import partial

from inference.engine.cache.ssd import entry_io
from inference.engine.cache.ssd.config import namespace_key
from inference.engine.cache.ssd.folder import EntryFolder
from inference.engine.cache.ssd.header import file_bytes
from inference.engine.cache.ssd.index import EntryIndex, StoredEntry
from inference.engine.cache.ssd.spill_queue import Spill
from inference.engine.idle_work import IdleWork


class EntryWriter:
    """Thread: the writer's."""

    def __init__(self, folder: EntryFolder, index: EntryIndex, idle: IdleWork) -> None:
        self._folder = folder
        self._index = index
        self._idle = idle

    def write(self, spill: Spill) -> bool:
        """Write an entry; returns whether there was a need to. It is on disk then.

        The engine copies its tensors one by one, when it gets to it. Raises NoRoom, OSError,
        IdleWorkEnded, and what copying raises.
        """
        header = spill.header
        if spill.path is None and self._index.covers(header.tokens, header.namespace):
            return False  # written for another reason since it was queued
        path = spill.path or self._folder.new_path(namespace_key(header.namespace))
        size = file_bytes(header)
        with self._folder.create(path, size) as file:
            entry_io.write(file, header, lambda i: self._idle.run(partial(spill.packed.take, i)))
        superfluous = [path] if spill.cancelled else []
        if spill.is_prefix:
            entry = StoredEntry(path, len(header.tokens), size, header.can_trim)
            superfluous = self._index.add(entry, header.tokens, header.namespace)
        for old in superfluous:
            self._folder.discard(old)
        return True
