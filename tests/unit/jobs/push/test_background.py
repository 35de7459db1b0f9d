import asyncio
import threading

import pytest

from jobs.push.background import in_background


async def test_the_result_comes_from_a_thread_that_holds_up_no_exit() -> None:
    found = await in_background("work", threading.current_thread)

    assert (found.name, found.daemon) == ("work", True)


async def test_an_error_is_raised_where_it_is_awaited() -> None:
    def fail() -> None:
        raise ValueError("so it is")

    with pytest.raises(ValueError, match="so it is"):
        await in_background("work", fail)


async def test_the_work_goes_on_when_nobody_waits_any_more() -> None:
    going, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        going.set()
        go_on.wait(10)
        done.set()

    waiting = asyncio.create_task(in_background("work", work))
    await asyncio.to_thread(going.wait, 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()

    assert await asyncio.to_thread(done.wait, 10)
