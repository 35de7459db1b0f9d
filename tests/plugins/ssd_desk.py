"""A writer of the SSD cache over a scripted engine, with everything around it."""

import threading
import time

from inference.engine.cache.ssd.config import SsdConfig
from inference.engine.cache.ssd.folder import EntryFolder
from inference.engine.cache.ssd.index import EntryIndex
from inference.engine.cache.ssd.writer import SpillWriter
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.idle_work import IdleWork
from tests.plugins.scripted_engine import PATIENCE, make_runner
from tests.plugins.ssd_entries import make_spill


class MemoryOf:
    """Prefixes in memory, by key; demotes nothing."""

    def __init__(self):
        self.entries = {}
        self.demoted = []

    def holds(self, key):
        return key in self.entries

    def spill_of(self, key):
        assert threading.current_thread().name == "engine"
        return self.entries.get(key)

    def demote(self, unused_seconds):
        for _ in range(3):
            assert threading.current_thread().name == "engine"
            self.demoted.append(unused_seconds)
            yield 1


class Desk:
    """A writer with everything around it."""

    def __init__(self, path, step_gate, index=None, **options):
        self.idle = IdleWork()
        self.engine = Engine(
            lambda: make_runner(on_step=step_gate), EngineConfig(max_running=1), self.idle
        )
        self.config = SsdConfig(path, **{"max_bytes": 10**6, "queue_bytes": 10**6, **options})
        self.index = EntryIndex() if index is None else index
        self.folder = EntryFolder(
            path / "model", self.config.max_bytes, lambda path: self.index.remove([path])
        )
        self.writer = SpillWriter(self.config, self.folder, self.index, self.idle)
        self.memory = MemoryOf()
        self.engine.start()
        self.writer.start(self.memory)

    def remember(self, *tokens, **fields):
        """Have a prefix in memory that is to be on disk."""
        key = ("", tokens)
        self.memory.entries[key] = spill = make_spill(tokens, **fields)
        self.writer.mark(key, can_trim=spill.header.can_trim)
        return spill

    def flush(self):
        return self.writer.flush().result(PATIENCE)

    @property
    def counters(self):
        return self.writer.figures()[0]

    @property
    def pending(self):
        return self.writer.figures()[1]

    def files(self):
        return [path for path in self.folder.path.rglob("*") if path.name != "lock"]

    def close(self):
        self.writer.close()
        self.engine.stop(PATIENCE)


def wait_for(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)
