"""A function that borrows the whole engine for a while: the exclusive lease.

Whatever needs the model or the accelerator without running a sequence asks for it by
`Engine.call`. The call waits in the same line as the sequences.
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
