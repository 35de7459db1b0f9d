"""Work on worker threads, and how much of it may wait."""

import asyncio
import threading

import pytest

from inference.engine.config import EngineConfig
from inference.errors import QueueFull
from inference.preparation import Preparation


async def test_a_function_runs_on_another_thread():
    preparation = Preparation(EngineConfig())

    assert await preparation.run(threading.get_ident) != threading.get_ident()


async def test_one_more_than_the_engine_would_take_is_refused_until_one_is_done():
    opened = threading.Event()
    preparation = Preparation(EngineConfig(max_running=1, max_waiting=1))
    waiting = [asyncio.create_task(preparation.run(opened.wait, 5)) for _ in range(2)]
    await asyncio.sleep(0)

    with pytest.raises(QueueFull, match="the limit is 1"):
        await preparation.run(print)

    opened.set()
    assert await asyncio.gather(*waiting) == [True, True]
    assert await preparation.run(max, 1, 2) == 2


async def test_what_fails_makes_room_as_well():
    preparation = Preparation(EngineConfig(max_running=1, max_waiting=0))

    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            await preparation.run(divmod, 1, 0)
