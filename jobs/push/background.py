"""Runs long work of a request on a thread that does not keep the process from ending."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


async def in_background(name: str, work: Callable[[], Result]) -> Result:
    """Wait for `work`, which goes on if the one who waits is cancelled. Raises what it raises.

    Threads of an executor would be joined at the end of the process, however long they take.
    """
    future: Future[Result] = Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return await asyncio.wrap_future(future)
