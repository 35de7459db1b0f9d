"""Threads for MLX: once begun they stay, and the next engine takes one that is free.

MLX keeps what it compiles for each thread, and frees that only after Python has seen the thread
end. To free it takes the interpreter's lock, and where the interpreter is ending as well, the
process aborts. A thread that stays never comes to that; there are as many as engines at once.
"""

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

logger = logging.getLogger(__name__)

_lock = threading.Lock()
_free: list["_Keeper"] = []


class KeptThread:
    """Runs one function on such a thread; used as a `threading.Thread` is."""

    def __init__(self, target: Callable[[], None]) -> None:
        self._target: Callable[[], None] | None = target
        self._begun = False
        self._ended = threading.Event()

    def start(self) -> None:
        with _lock:
            keeper = _free.pop() if _free else _Keeper()
        self._begun = True
        keeper.inbox.put(self)

    def join(self, timeout_seconds: float | None = None) -> None:
        """Wait for the function to end; returns at once where it was never begun."""
        if self._begun:
            self._ended.wait(timeout_seconds)

    def is_alive(self) -> bool:
        return self._begun and not self._ended.is_set()

    def run(self) -> None:
        """The keeper's side. Who waits for the end finds nothing held of what has run."""
        target, self._target = self._target, None
        assert target is not None, "it runs once"
        try:
            target()
        except Exception:
            logger.exception("what ran on an engine's thread failed")

    def end(self) -> None:
        self._ended.set()


class _Keeper:
    """The thread itself. It ends with the process."""

    def __init__(self) -> None:
        self.inbox: SimpleQueue[KeptThread] = SimpleQueue()
        threading.Thread(target=self._main, name="engine", daemon=True).start()

    def _main(self) -> None:
        while True:
            taken = self.inbox.get()
            taken.run()
            with _lock:
                _free.append(self)
            taken.end()
            del taken
