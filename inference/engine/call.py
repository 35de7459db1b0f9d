"""What borrows the whole engine for a while: a function, or someone outside.

Whatever needs the model without running a sequence asks for it by `Engine.call`; whoever needs
the accelerator while this engine uses it no more, by `Engine.hold`. Both wait in the same line
as the sequences.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Call(Generic[T]):
    """A function to run on the engine thread while no sequence holds a place.

    future: its result, or what it raised; cancelled only before the function starts.
    """

    def __init__(self, function: Callable[[], T]) -> None:
        self.future: Future[T] = Future()
        self._function = function

    def run(self) -> None:
        """Run the function, unless nobody waits for it any more; raises nothing of its errors.

        Thread: engine only, once, and not after `fail`.
        """
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self._function()
        except Exception as error:  # noqa: BLE001 - the caller's to handle, on the caller's thread
            self.future.set_exception(error)
        else:
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        """Tell whoever waits that the function will not run."""
        if self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)


class Hold:
    """A place in the line that, once its turn has come, keeps those behind it waiting.

    granted: done when no sequence holds a place; none gets one until `Engine.release`.
    """

    def __init__(self) -> None:
        self.granted: Future[None] = Future()

    @property
    def is_granted(self) -> bool:
        return self.granted.done()

    def grant(self) -> None:
        """Thread: engine only."""
        if not self.granted.done():
            self.granted.set_result(None)

    def fail(self, error: Exception) -> None:
        """Tell whoever waits that the turn will not come. Thread: engine only."""
        if not self.granted.done():
            self.granted.set_exception(error)
