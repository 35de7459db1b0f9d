"""Holds: who needs the accelerator has the engine rest, and those who wait are served after."""

import asyncio

import pytest

from inference.errors import EngineNotRunning, QueueFull
from tests.plugins.scripted_engine import (
    PATIENCE,
    eventually,
    is_empty,
    make_runner,
    make_sequence,
    read,
    tokens,
)


async def granted(hold):
    await asyncio.wait_for(asyncio.wrap_future(hold.granted), PATIENCE)


async def test_a_hold_waits_for_what_runs_and_keeps_the_others_waiting(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate))
    early = engine.submit(make_sequence(max_tokens=20))
    await step_gate.wait()
    hold = engine.hold()
    late = engine.submit(make_sequence())

    was_granted = hold.is_granted
    step_gate.open()
    await granted(hold)
    answer = await read(early)

    assert not was_granted
    assert len(tokens(answer)) == 20
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(late.next_outputs(), 0.05)
    engine.release(hold)
    assert tokens(await read(late)) == [7, 8, 9]


async def test_an_idle_engine_grants_at_once_and_rests(start_engine):
    engine = start_engine(make_runner())

    hold = engine.hold()
    await granted(hold)

    assert not engine.is_idle  # whoever waits for the engine to be free goes on waiting
    await eventually(engine._inbox.empty)
    assert engine._scheduler.is_idle  # the thread sleeps
    engine.release(hold)
    assert engine.is_idle


async def test_holds_are_granted_one_after_the_other(start_engine):
    engine = start_engine(make_runner())
    first, second = engine.hold(), engine.hold()
    await granted(first)

    await asyncio.sleep(0.02)
    assert not second.is_granted
    engine.release(first)
    await granted(second)
    engine.release(second)

    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_those_behind_a_hold_can_be_aborted_and_make_room(start_engine):
    engine = start_engine(make_runner(), max_running=2, max_waiting=1)
    hold = engine.hold()
    await granted(hold)
    left = make_sequence()
    engine.submit(left)
    with pytest.raises(QueueFull):
        engine.submit(make_sequence())

    engine.abort(left.id)
    await eventually(lambda: engine.num_under_way == 0)
    stream = engine.submit(make_sequence())

    engine.release(hold)
    assert tokens(await read(stream)) == [7, 8, 9]


async def test_a_hold_is_taken_though_the_line_is_full(start_engine, step_gate):
    step_gate.hold = lambda plan: True
    engine = start_engine(make_runner(on_step=step_gate), max_running=1, max_waiting=0)
    stream = engine.submit(make_sequence())
    await step_gate.wait()

    hold = engine.hold()
    step_gate.open()
    await granted(hold)

    assert tokens(await read(stream)) == [7, 8, 9]
    engine.release(hold)


async def test_a_hold_that_is_given_up_holds_nobody_up(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate), max_running=2)
    endless = make_sequence(max_tokens=10**6)
    engine.submit(endless)
    await step_gate.wait()
    hold = engine.hold()
    late = engine.submit(make_sequence())

    engine.release(hold)
    step_gate.open()

    assert tokens(await read(late)) == [7, 8, 9]
    assert not hold.is_granted
    engine.abort(endless.id)
    await eventually(lambda: is_empty(engine))


async def test_releasing_twice_is_harmless(start_engine):
    engine = start_engine(make_runner())
    hold = engine.hold()
    await granted(hold)

    engine.release(hold)
    engine.release(hold)

    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_an_engine_that_is_held_stops_at_once(start_engine):
    engine = start_engine(make_runner())
    hold, next_hold = engine.hold(), engine.hold()
    await granted(hold)
    stream = engine.submit(make_sequence())

    await asyncio.to_thread(engine.stop, 1.0)

    assert not engine.is_alive
    assert (await read(stream))[-1].error is not None
    with pytest.raises(EngineNotRunning):
        await granted(next_hold)
    with pytest.raises(EngineNotRunning):
        engine.hold()
    engine.release(hold)


async def test_calls_wait_behind_a_hold(start_engine):
    engine = start_engine(make_runner())
    hold = engine.hold()
    await granted(hold)

    call = engine.call(lambda: "ran")
    await asyncio.sleep(0.02)
    assert not call.done()
    engine.release(hold)

    assert await asyncio.wait_for(call, PATIENCE) == "ran"


async def test_the_figures_count_who_waits_and_not_who_holds(start_engine):
    engine = start_engine(make_runner())
    hold = engine.hold()
    await granted(hold)
    stream = engine.submit(make_sequence())

    engine.abort("nobody")  # a message after which the figures are taken anew
    await eventually(lambda: engine.stats().waiting == 1)
    engine.release(hold)

    await read(stream)
    await eventually(lambda: engine.stats().waiting == 0)
