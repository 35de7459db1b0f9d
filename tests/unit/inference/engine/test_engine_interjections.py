"""A function can run on the engine thread between two steps, whoever runs or waits."""

import asyncio
import threading

import pytest

from inference.errors import EngineNotRunning
from tests.plugins.scripted_engine import PATIENCE, make_runner, make_sequence, read, tokens


async def test_it_runs_on_the_engine_thread_and_its_result_comes_back(start_engine):
    engine = start_engine(make_runner())

    name = engine.interject(lambda: threading.current_thread().name).result(PATIENCE)

    assert name == "engine"
    assert engine.is_idle


async def test_it_waits_for_nobody_who_runs_or_is_ahead_in_the_line(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate), max_running=1)
    streams = [engine.submit(make_sequence(max_tokens=20)) for _ in range(3)]
    await step_gate.wait()
    future = engine.interject(lambda: len(list(engine._scheduler.everyone())))
    assert not future.done()  # nor does it break into a step

    step_gate.open()
    answers = await asyncio.gather(*map(read, streams))

    assert future.result(PATIENCE) == 3
    assert [tokens(outputs) for outputs in answers] == [list(range(7, 27))] * 3


async def test_what_it_raises_the_caller_gets_and_the_engine_goes_on(start_engine):
    engine = start_engine(make_runner())

    with pytest.raises(ZeroDivisionError):
        engine.interject(lambda: 1 / 0).result(PATIENCE)

    assert len(await read(engine.submit(make_sequence()))) == 3


async def test_one_that_is_cancelled_in_time_does_not_run(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate))
    stream = engine.submit(make_sequence())
    await step_gate.wait()
    ran = threading.Event()

    assert engine.interject(ran.set).cancel()
    step_gate.open()
    await read(stream)

    assert not ran.is_set()
    assert engine.is_idle


async def test_an_engine_that_stops_fails_what_it_has_not_run(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate))
    engine.submit(make_sequence())
    await step_gate.wait()
    stopping = asyncio.create_task(asyncio.to_thread(engine.stop))
    await asyncio.sleep(0.01)
    late = engine.interject(lambda: None)
    step_gate.open()

    with pytest.raises(EngineNotRunning):
        late.result(PATIENCE)
    await stopping
    with pytest.raises(EngineNotRunning):
        engine.interject(lambda: None)
