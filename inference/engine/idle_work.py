"""Small pieces of work that another thread wants done on the engine thread.

They wait until no sequence is there, one at a time, so that a request which arrives meanwhile
waits for one piece at most. When in haste, they are done between two steps as well.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

from inference.engine.call import Call

T = TypeVar("T")


class IdleWorkEnded(Exception):
    """The engine is gone; the piece was not done."""


class IdleWork:
    """Where the engine finds such pieces.

    wake: called after a piece has arrived; the engine sets it. Any thread.
    hasty: whether pieces do not wait for the engine to be idle.
    busy: whether sequences are there, by the engine's last word.
    """

    def __init__(self) -> None:
        self.wake: Callable[[], None] = lambda: None
        self.busy = False
        self._hasty = False
        self._lock = threading.Lock()  # guards the two below
        self._piece: Call[object] | None = None
        self._ended = False

    @property
    def hasty(self) -> bool:
        return self._hasty

    @hasty.setter
    def hasty(self, value: bool) -> None:
        before, self._hasty = self._hasty, value
        if value and not before:
            self.wake()

    def run(self, function: Callable[[], T]) -> T:
        """Have a function run on the engine thread and return its result; raises what it raises.

        Blocks until the engine got to it. Raises IdleWorkEnded when it never will.
        Thread: one at a time, and not the engine's.
        """
        call = Call(function)
        with self._lock:
            if self._ended:
                raise IdleWorkEnded
            self._piece = call  # type: ignore[assignment] # nobody but us reads its result
        self.wake()
        return call.future.result()

    # The engine's side.

    def is_due(self, *, idle: bool) -> bool:
        """Whether there is a piece to do now. idle: whether no sequence is there."""
        return self._piece is not None and (idle or self._hasty)

    def do_one(self, *, idle: bool) -> None:
        """Do the piece that is due, if there is one."""
        self.busy = not idle
        with self._lock:
            if not self.is_due(idle=idle):
                return
            call, self._piece = self._piece, None
        if call is not None:
            call.run()

    def end(self) -> None:
        """Refuse what waits and what comes; harmless when repeated. Any thread."""
        with self._lock:
            self._ended = True
            call, self._piece = self._piece, None
        if call is not None:
            call.fail(IdleWorkEnded())
