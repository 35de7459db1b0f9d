"""Who waits for an engine, and for what: streams, calls and holds that have not ended.

Here its two sides meet, under one lock. Callers enter what they want, on any thread; the engine's
takes out what has ended. Knows neither steps nor the inbox.
"""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from inference.engine.call import Call, Hold
from inference.engine.config import EngineConfig
from inference.engine.plan import TokenOutput
from inference.engine.stream import TokenStream
from inference.errors import EngineNotRunning, QueueFull


class Callers:
    """Closed until the engine is ready, and again once it has ended.

    num_submitted: sequences that were entered.
    """

    def __init__(self) -> None:
        self.num_submitted = 0
        self._lock = threading.Lock()  # guards all here
        self._open = False
        self._streams: dict[str, TokenStream] = {}
        self._unplaced: set[str] = set()  # submitted, not admitted yet
        self._alone: str | None = None  # the serial sequence that has the engine
        self._calls: set[Call[Any]] = set()  # queued, not started yet
        self._in_call = False  # a call has the engine
        self._holds: set[Hold] = set()  # asked for, not released yet

    # The callers' side: any thread.

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def num_under_way(self) -> int:
        """Sequences and calls that have not ended, waiting ones included."""
        with self._lock:
            return len(self._streams) + len(self._calls) + self._in_call

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing under way, and no hold."""
        with self._lock:
            return not (self._streams or self._calls or self._in_call or self._holds)

    def add_sequence(self, sequence_id: str, stream: TokenStream, config: EngineConfig) -> None:
        """Enter a sequence; raises QueueFull, EngineNotRunning."""
        with self._lock:
            self._check_room(config)
            self._streams[sequence_id] = stream
            self._unplaced.add(sequence_id)
            self.num_submitted += 1

    def add_call(self, call: Call[Any], config: EngineConfig) -> None:
        """Enter a call; raises QueueFull, EngineNotRunning."""
        with self._lock:
            self._check_room(config)
            self._calls.add(call)

    def add_interjection(self, call: Call[Any]) -> None:
        """Enter a call that waits in no line; raises EngineNotRunning."""
        with self._lock:
            self._check_open()
            self._calls.add(call)

    def remove_call(self, call: Call[Any]) -> None:
        with self._lock:
            self._calls.discard(call)

    def add_hold(self, hold: Hold) -> None:
        """Enter a hold; raises EngineNotRunning."""
        with self._lock:
            self._check_open()
            self._holds.add(hold)

    def remove_hold(self, hold: Hold) -> None:
        with self._lock:
            self._holds.discard(hold)

    # The engine's side.

    def open(self) -> None:
        self._open = True

    def place(self, sequence_id: str, *, alone: bool) -> None:
        """Note that a sequence was admitted. alone: whether it has the engine for itself."""
        with self._lock:
            self._unplaced.discard(sequence_id)
            self._alone = sequence_id if alone else None

    @contextmanager
    def in_call(self, call: Call[Any]) -> Iterator[None]:
        """Let a call have the engine."""
        with self._lock:
            self._calls.discard(call)
            self._in_call = True
        yield
        with self._lock:
            self._in_call = False

    def drop_sequence(self, sequence_id: str) -> bool:
        """Forget a sequence without a word to its stream; returns whether it was known."""
        with self._lock:
            self._unplaced.discard(sequence_id)
            return self._streams.pop(sequence_id, None) is not None

    def route(self, outputs: Iterable[TokenOutput]) -> list[tuple[TokenStream, TokenOutput]]:
        """Return outputs with their streams, and forget the sequences that end with them.

        Those of sequences that were dropped are left out.
        """
        pairs = []
        with self._lock:
            for output in outputs:
                stream = self._streams.get(output.sequence_id)
                if stream is None:
                    continue
                if output.is_last:
                    del self._streams[output.sequence_id]
                    self._unplaced.discard(output.sequence_id)
                pairs.append((stream, output))
        return pairs

    def close(self) -> tuple[list[str], list[Call[Any] | Hold]]:
        """Let nobody in any more; returns who is left: sequences, and calls and holds."""
        with self._lock:
            self._open = False
            borrowers: list[Call[Any] | Hold] = [*self._calls, *self._holds]
            self._calls = set()
            return list(self._streams), borrowers

    # Whoever holds the lock.

    def _check_open(self) -> None:
        if not self._open:
            raise EngineNotRunning("the engine is not running; restart the server")

    def _check_room(self, config: EngineConfig) -> None:
        """Refuse one more if the engine is gone or its line is full."""
        self._check_open()
        waiting = len(self._unplaced) + len(self._calls)
        if waiting >= config.max_waiting + self._free_places(config):
            raise QueueFull(
                f"{config.max_waiting} requests are waiting, the limit is "
                f"{config.max_waiting}; try again in a moment"
            )

    def _free_places(self, config: EngineConfig) -> int:
        """Count places that the next admission will fill."""
        if self._in_call or self._alone in self._streams or any(h.is_granted for h in self._holds):
            return 0
        placed = len(self._streams) - len(self._unplaced)
        return max(config.max_running - placed, 0)
