"""Pieces of work wait for the engine to be idle, unless they are in haste."""

import asyncio
import threading

import pytest

from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.idle_work import IdleWork, IdleWorkEnded
from tests.plugins.scripted_engine import PATIENCE, make_runner, make_sequence, read


@pytest.fixture
def idle_work():
    return IdleWork()


@pytest.fixture
def engine(idle_work, step_gate):
    engine = Engine(lambda: make_runner(on_step=step_gate), EngineConfig(), idle_work)
    engine.start()
    yield engine
    step_gate.open()
    engine.stop(PATIENCE)


async def test_a_piece_runs_on_the_engine_thread_and_its_result_comes_back(engine, idle_work):
    name = await asyncio.to_thread(idle_work.run, lambda: threading.current_thread().name)

    assert name == "engine"


async def test_what_it_raises_who_asked_gets_and_the_engine_goes_on(engine, idle_work):
    with pytest.raises(ZeroDivisionError):
        await asyncio.to_thread(idle_work.run, lambda: 1 / 0)

    assert len(await read(engine.submit(make_sequence()))) == 3


async def test_it_waits_until_no_request_is_there(engine, idle_work, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    stream = engine.submit(make_sequence())
    await step_gate.wait()
    at_work = asyncio.create_task(asyncio.to_thread(idle_work.run, lambda: engine.is_idle))
    await asyncio.sleep(0.02)
    assert idle_work.busy and not at_work.done()

    step_gate.open()
    await read(stream)

    assert await at_work


async def test_in_haste_it_runs_between_two_steps(engine, idle_work):
    engine.submit(make_sequence(max_tokens=10**6))
    while engine.stats().active == 0:
        await asyncio.sleep(0.001)
    at_work = asyncio.create_task(asyncio.to_thread(idle_work.run, lambda: engine.stats().active))
    await asyncio.sleep(0.02)
    assert not at_work.done()

    idle_work.hasty = True

    assert await at_work == 1


async def test_a_request_waits_for_one_piece_at_most(idle_work):
    log = []
    runner = make_runner(on_step=lambda plan: log.append("step"))
    engine = Engine(lambda: runner, EngineConfig(), idle_work)
    engine.start()
    started, finish = threading.Event(), threading.Event()

    def work_through_pieces():
        idle_work.run(lambda: (started.set(), finish.wait(PATIENCE)))
        for _ in range(5):
            idle_work.run(lambda: log.append("piece"))

    at_work = asyncio.create_task(asyncio.to_thread(work_through_pieces))
    await asyncio.to_thread(started.wait, PATIENCE)
    stream = engine.submit(make_sequence(max_tokens=200))
    finish.set()
    await read(stream)
    await at_work
    engine.stop(PATIENCE)

    steps = [index for index, entry in enumerate(log) if entry == "step"]
    assert "piece" not in log[: steps[-1]]
    assert log.count("piece") == 5


async def test_what_the_engine_never_gets_to_ends_with_it(engine, idle_work, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine.submit(make_sequence(max_tokens=10**6))
    await step_gate.wait()
    at_work = asyncio.create_task(asyncio.to_thread(idle_work.run, lambda: None))
    await asyncio.sleep(0.02)

    stopping = asyncio.create_task(asyncio.to_thread(engine.stop, PATIENCE))
    step_gate.open()

    with pytest.raises(IdleWorkEnded):
        await at_work
    await stopping
    with pytest.raises(IdleWorkEnded):
        await asyncio.to_thread(idle_work.run, lambda: None)
