"""What fails in a step ends whom it concerns, and nobody else."""

import asyncio
import time

import pytest

from inference.errors import EngineNotRunning
from tests.plugins.scripted_engine import eventually, make_runner, make_sequence, read, tokens


@pytest.fixture
def break_at():
    """An `on_step` hook that raises once, at the first plan that fits."""

    def make(fits):
        broken = []

        def hook(plan):
            if not broken and fits(plan):
                broken.append(plan)
                raise ArithmeticError("overflow")

        return hook

    return make


@pytest.mark.parametrize("part", ["prefills", "decodes"])
async def test_a_failed_step_ends_its_requests_soon_and_the_next_one_works(
    part, start_engine, break_at
):
    engine = start_engine(make_runner(on_step=break_at(lambda plan: getattr(plan, part))))

    started = time.monotonic()
    outputs = await read(engine.submit(make_sequence()))

    assert time.monotonic() - started < 2.0
    assert outputs[-1].error == "ArithmeticError: overflow"
    assert engine.is_alive
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_a_failed_step_ends_all_rows_and_spares_the_waiting(start_engine, break_at):
    hook = break_at(lambda plan: len(plan.decodes) == 2)
    engine = start_engine(make_runner(on_step=hook), max_running=2)

    streams = [engine.submit(make_sequence(max_tokens=50)) for _ in range(3)]
    answers = await asyncio.gather(*map(read, streams))

    assert [bool(outputs[-1].error) for outputs in answers] == [True, True, False]
    assert len(tokens(answers[2])) == 50


async def test_a_failure_to_read_a_step_is_a_failed_step(start_engine):
    def fail_once(seconds, calls=[]):  # noqa: B006 - remembers across calls, on purpose
        calls.append(seconds)
        if len(calls) == 1:
            raise ArithmeticError("lost")

    engine = start_engine(make_runner(step_seconds=0.001, sleep=fail_once))

    outputs = await read(engine.submit(make_sequence()))

    assert outputs[-1].error == "ArithmeticError: lost"
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_a_sequence_that_cannot_begin_fails_alone(start_engine):
    runner = make_runner()
    script = runner.script

    def refuse_one(sequence):
        if sequence.id == "bad":
            raise KeyError("bad")
        return script(sequence)

    runner.script = refuse_one
    engine = start_engine(runner)

    names = ["a", "bad", "b"]
    streams = [engine.submit(make_sequence(name)) for name in names]
    answers = await asyncio.gather(*map(read, streams))

    assert [tokens(outputs) for outputs in answers] == [[7, 8, 9], [], [7, 8, 9]]
    assert answers[1][-1].error == "KeyError: 'bad'"
    await eventually(lambda: runner.rows == {})


async def test_a_prompt_that_fails_fails_alone(start_engine, monkeypatch):
    runner = make_runner()
    launch = type(runner).launch

    def launch_all_but_one(self, plan):
        step = launch(self, plan)
        step.failed += [
            (chunk.sequence, ArithmeticError("too deep"))
            for chunk in plan.prefills
            if chunk.sequence.id == "bad"
        ]
        return step

    monkeypatch.setattr(type(runner), "launch", launch_all_but_one)
    engine = start_engine(runner)

    streams = [engine.submit(make_sequence(name)) for name in ["a", "bad", "b"]]
    answers = await asyncio.gather(*map(read, streams))

    assert [tokens(outputs) for outputs in answers] == [[7, 8, 9], [], [7, 8, 9]]
    assert answers[1][-1].error == "ArithmeticError: too deep"
    await eventually(lambda: runner.rows == {})


async def test_a_runner_that_cannot_be_reset_ends_the_engine(start_engine, break_at, monkeypatch):
    runner = make_runner(on_step=break_at(lambda plan: plan.decodes))

    def fail(self):
        raise MemoryError("no way back")

    monkeypatch.setattr(type(runner), "reset", fail)
    engine = start_engine(runner, max_running=1)

    streams = [engine.submit(make_sequence()) for _ in range(3)]
    answers = await asyncio.gather(*map(read, streams))
    await eventually(lambda: not engine.is_alive)

    assert all(outputs[-1].error for outputs in answers)
    assert engine.num_under_way == 0
    with pytest.raises(EngineNotRunning):
        engine.submit(make_sequence())
