"""Functions that borrow the whole engine: their turn, their limits, and what comes after."""

import asyncio
import threading

import pytest

from inference.errors import EngineNotRunning, QueueFull
from inference.events import Lane
from tests.plugins.scripted_engine import (
    PATIENCE,
    eventually,
    is_empty,
    make_runner,
    make_sequence,
    read,
    tokens,
)


class Door:
    """A function that says when it runs and returns when it may."""

    def __init__(self):
        self.entered, self.opened = threading.Event(), threading.Event()

    def __call__(self):
        self.entered.set()
        assert self.opened.wait(PATIENCE)
        return "done"

    async def wait(self):
        assert await asyncio.to_thread(self.entered.wait, PATIENCE)


async def test_a_function_runs_on_the_engine_thread_and_its_result_comes_back(start_engine):
    engine = start_engine(make_runner())

    assert await engine.call(lambda: threading.current_thread().name) == "engine"


async def test_a_function_waits_until_no_sequence_holds_a_place(start_engine, step_gate):
    runner = make_runner(on_step=step_gate)
    engine = start_engine(runner)
    step_gate.hold = lambda plan: bool(plan.decodes)
    streams = [engine.submit(make_sequence(max_tokens=20)) for _ in range(3)]
    await step_gate.wait()

    rows_left = engine.call(lambda: (dict(runner.rows), engine._in_flight))
    step_gate.open()
    answers = await asyncio.gather(*map(read, streams))

    assert await rows_left == ({}, None)
    assert [len(tokens(outputs)) for outputs in answers] == [20] * 3


async def test_nobody_overtakes_a_function_and_all_go_on_after_it(start_engine, step_gate):
    happened = []
    step_gate.hold = lambda plan: bool(plan.decodes)
    runner = make_runner(on_step=step_gate)
    script = runner.script

    def note(sequence):
        happened.append(sequence.id)
        return script(sequence)

    runner.script = note
    engine = start_engine(runner, max_running=4)
    streams = [engine.submit(make_sequence("early", max_tokens=9))]
    await step_gate.wait()
    calls = [engine.call(lambda: happened.append("first"))]
    streams.append(engine.submit(make_sequence("serial", serial=True)))
    calls.append(engine.call(lambda: happened.append("second")))
    streams += [engine.submit(make_sequence(name)) for name in ("late", "later")]
    step_gate.open()
    answers = await asyncio.gather(*map(read, streams))
    await asyncio.gather(*calls)

    assert happened == ["early", "first", "serial", "second", "late", "later"]
    assert [len(tokens(outputs)) for outputs in answers] == [9, 3, 3, 3]
    assert answers[-1][-1].lane is Lane.BATCHED


async def test_what_a_function_raises_reaches_its_caller_alone(start_engine):
    def fail():
        raise ArithmeticError("overflow")

    engine = start_engine(make_runner())

    with pytest.raises(ArithmeticError, match="overflow"):
        await engine.call(fail)

    assert engine.is_alive
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_functions_count_towards_the_waiting(start_engine, step_gate):
    step_gate.hold = lambda plan: True
    engine = start_engine(make_runner(on_step=step_gate), max_running=1, max_waiting=2)
    stream = engine.submit(make_sequence())
    await step_gate.wait()
    calls = [engine.call(lambda: 1), engine.call(lambda: 2)]

    with pytest.raises(QueueFull):
        engine.call(lambda: 3)
    with pytest.raises(QueueFull):
        engine.submit(make_sequence())

    step_gate.open()
    await read(stream)
    assert await asyncio.gather(*calls) == [1, 2]
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_behind_a_function_that_runs_no_more_may_wait_than_the_limit(start_engine):
    door = Door()
    engine = start_engine(make_runner(), max_running=4, max_waiting=2)
    call = engine.call(door)
    await door.wait()
    streams = [engine.submit(make_sequence()) for _ in range(2)]

    with pytest.raises(QueueFull):
        engine.submit(make_sequence())

    door.opened.set()
    assert await call == "done"
    assert [tokens(await read(stream)) for stream in streams] == [[7, 8, 9]] * 2


async def test_a_cancelled_function_leaves_the_line_at_once(start_engine, step_gate):
    ran = []
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate), max_running=2, max_waiting=0)
    endless = make_sequence(max_tokens=10**6)
    engine.submit(endless)
    await step_gate.wait()
    call = engine.call(lambda: ran.append("call"))

    call.cancel()
    await asyncio.sleep(0)
    # Its place in the line is free again, and nobody waits for the running one to end.
    late = engine.submit(make_sequence())
    step_gate.open()

    assert tokens(await read(late)) == [7, 8, 9]
    engine.abort(endless.id)
    await eventually(lambda: is_empty(engine))
    assert ran == []


async def test_a_function_that_has_begun_is_not_disturbed_by_its_caller_leaving(start_engine):
    door = Door()
    engine = start_engine(make_runner())
    call = engine.call(door)
    await door.wait()

    call.cancel()
    door.opened.set()

    with pytest.raises(asyncio.CancelledError):
        await call
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_stopping_ends_the_functions_that_wait(start_engine):
    door, ran = Door(), []
    engine = start_engine(make_runner())
    first = engine.call(door)
    await door.wait()
    second = engine.call(lambda: ran.append("second"))

    stopping = asyncio.create_task(asyncio.to_thread(engine.stop))
    await eventually(lambda: engine._inbox.qsize() >= 2)
    door.opened.set()
    await stopping

    assert await first == "done"
    with pytest.raises(EngineNotRunning):
        await second
    assert ran == []
    with pytest.raises(EngineNotRunning):
        engine.call(lambda: None)


async def test_a_failed_step_makes_way_for_a_function(start_engine):
    def fail(plan):
        if plan.decodes:
            raise ArithmeticError("overflow")

    engine = start_engine(make_runner(on_step=fail))
    stream = engine.submit(make_sequence(max_tokens=9))
    call = engine.call(lambda: "ran")

    assert (await read(stream))[-1].error == "ArithmeticError: overflow"
    assert await asyncio.wait_for(call, PATIENCE) == "ran"


async def test_a_caller_whose_loop_is_gone_does_not_harm_the_engine(start_engine):
    door = Door()
    engine = start_engine(make_runner())

    async def call_and_leave():
        engine.call(door)
        await door.wait()

    await asyncio.to_thread(asyncio.run, call_and_leave())
    door.opened.set()

    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]
