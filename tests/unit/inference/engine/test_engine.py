"""The engine's life with a scripted runner: answers, limits, aborts, starting and stopping."""

import asyncio
import threading

import pytest

from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.scripted import ScriptedRunner
from inference.errors import EngineNotRunning, QueueFull
from inference.events import FinishReason, Lane
from tests.plugins.scripted_engine import (
    STOP,
    eventually,
    is_empty,
    make_runner,
    make_sequence,
    read,
    tokens,
)


async def test_tokens_arrive_in_order(start_engine):
    engine = start_engine(make_runner())

    outputs = await read(engine.submit(make_sequence(max_tokens=5)))

    assert tokens(outputs) == [7, 8, 9, 10, 11]
    assert all(output.error is None for output in outputs)


async def test_the_token_limit_ends_an_answer(start_engine):
    engine = start_engine(make_runner())

    outputs = await read(engine.submit(make_sequence(max_tokens=2)))

    assert [o.finish_reason for o in outputs] == [None, FinishReason.LENGTH]


async def test_a_stop_token_ends_an_answer(start_engine):
    engine = start_engine(make_runner([5, 0, 6, 6, 6]))

    outputs = await read(engine.submit(make_sequence(max_tokens=9)))

    assert tokens(outputs) == [5, 0]
    assert outputs[-1].finish_reason is FinishReason.STOP


async def test_the_lane_tells_whether_a_step_was_shared(start_engine, step_gate):
    engine = start_engine(make_runner(on_step=step_gate))
    alone = await read(engine.submit(make_sequence()))
    step_gate.hold = lambda plan: bool(plan.prefills)
    first = engine.submit(make_sequence(max_tokens=9))
    await step_gate.wait()
    second = engine.submit(make_sequence(max_tokens=9))
    step_gate.open()
    together = await asyncio.gather(read(first), read(second))

    assert alone[-1].lane is Lane.SERIAL
    assert [outputs[-1].lane for outputs in together] == [Lane.BATCHED] * 2


async def test_cached_tokens_are_reported(start_engine, monkeypatch):
    runner = make_runner()
    begin = runner.begin
    monkeypatch.setattr(type(runner), "begin", lambda self, sequence: begin(sequence) + 3)
    engine = start_engine(runner)

    outputs = await read(engine.submit(make_sequence(prompt=6)))

    assert {output.cached_tokens for output in outputs} == {3}


async def test_a_step_wakes_the_loop_once_for_all_its_rows(start_engine, step_gate, monkeypatch):
    loop, threads = asyncio.get_running_loop(), []
    plain = loop.call_soon_threadsafe

    def count(*arguments, **options):
        threads.append(threading.current_thread().name)
        return plain(*arguments, **options)

    step_gate.hold = lambda plan: bool(plan.prefills)
    engine = start_engine(make_runner(on_step=step_gate), max_running=4)
    streams = [engine.submit(make_sequence(max_tokens=5))]
    await step_gate.wait()
    streams += [engine.submit(make_sequence(max_tokens=5)) for _ in range(3)]
    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    step_gate.open()
    answers = await asyncio.gather(*map(read, streams))

    assert [len(tokens(outputs)) for outputs in answers] == [5] * 4
    # The three later ones join one after another: 20 tokens in no more steps than this.
    assert threads.count("engine") <= 5 + 4


async def test_a_full_house_refuses_the_next(start_engine, step_gate):
    step_gate.hold = lambda plan: True
    engine = start_engine(make_runner(on_step=step_gate), max_running=2, max_waiting=1)
    streams = [engine.submit(make_sequence()) for _ in range(3)]

    with pytest.raises(QueueFull):
        engine.submit(make_sequence())

    step_gate.open()
    for stream in streams:
        await read(stream)
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_behind_a_serial_sequence_no_more_may_wait_than_the_limit(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate), max_running=4, max_waiting=2)
    streams = [engine.submit(make_sequence(serial=True))]
    await step_gate.wait()
    streams += [engine.submit(make_sequence()) for _ in range(2)]

    # Three places are empty, and none of them can be had.
    with pytest.raises(QueueFull):
        engine.submit(make_sequence())

    step_gate.open()
    for stream in streams:
        assert tokens(await read(stream)) == [7, 8, 9]


async def test_a_serial_sequence_shares_no_step_and_nobody_starves(start_engine):
    plans = []
    engine = start_engine(make_runner(on_step=plans.append), max_running=4)

    sequences = [make_sequence(max_tokens=6, serial=n % 3 == 1) for n in range(12)]
    answers = await asyncio.gather(*(read(engine.submit(s)) for s in sequences))

    serial = {sequence.id for sequence in sequences if sequence.serial}
    assert all(tokens(outputs) == [7, 8, 9, 10, 11, 12] for outputs in answers)
    for plan in plans:
        rows = {s.id for s in plan.decodes} | {chunk.sequence.id for chunk in plan.prefills}
        assert len(rows) <= 1 or not rows & serial
    lanes = {s.id: outputs[-1].lane for s, outputs in zip(sequences, answers, strict=True)}
    assert all(lanes[name] is Lane.SERIAL for name in serial)
    assert Lane.BATCHED in lanes.values()


async def test_scores_come_with_the_tokens_of_those_who_asked(start_engine):
    engine = start_engine(make_runner())
    asked, other = engine.submit(make_sequence(logprobs=2)), engine.submit(make_sequence())

    first, second = await asyncio.gather(read(asked), read(other))

    assert [len(o.scores) for o in first if o.token_ids] == [1, 1, 1]
    assert [token for o in first for token, _ in o.scores[0].top] == [7, 8, 8, 9, 9, 10]
    assert not any(output.scores for output in second)


async def test_those_beyond_the_rows_wait_their_turn(start_engine):
    widths = []
    runner = make_runner(on_step=lambda plan: widths.append(len(plan.decodes)))
    engine = start_engine(runner, max_running=2)

    answers = await asyncio.gather(*(read(engine.submit(make_sequence())) for _ in range(7)))

    assert [tokens(outputs) for outputs in answers] == [[7, 8, 9]] * 7
    assert max(widths) == 2


@pytest.mark.parametrize(
    ("state", "hold"),
    [
        ("waiting", lambda plan: bool(plan.decodes)),
        ("prefilling", lambda plan: bool(plan.prefills)),
        ("running", lambda plan: bool(plan.decodes)),
    ],
)
async def test_an_abort_frees_the_row_in_every_state(state, hold, start_engine, step_gate):
    runner = make_runner(on_step=step_gate)
    engine = start_engine(runner, max_running=1, max_prefill_tokens=2)
    step_gate.hold = hold
    first, second = make_sequence(prompt=9, max_tokens=10**6), make_sequence(max_tokens=10**6)
    engine.submit(first)
    engine.submit(second)
    await step_gate.wait()

    for sequence in [second] if state == "waiting" else [first]:
        engine.abort(sequence.id)
    step_gate.open()
    survivor = first if state == "waiting" else second
    await eventually(lambda: len(survivor.output) > 2)
    engine.abort(survivor.id)
    engine.abort(survivor.id)
    await eventually(lambda: is_empty(engine))

    assert runner.rows == {}
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_an_abort_of_nobody_is_harmless(start_engine):
    engine = start_engine(make_runner())

    engine.abort("nobody")

    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_a_hundred_aborted_streams_leave_nothing(start_engine):
    runner = make_runner()
    engine = start_engine(runner, max_running=8, max_waiting=100)
    sequences = [make_sequence(prompt=1 + n % 9, max_tokens=10**6) for n in range(100)]

    for sequence in sequences:
        engine.submit(sequence)
        engine.abort(sequence.id)
        await asyncio.sleep(0)
    await eventually(lambda: is_empty(engine))

    assert runner.rows == {}
    assert list(engine._scheduler.everyone()) == []
    assert engine.stats().submitted == 100
    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]


async def test_stats_tell_who_runs_and_who_waits(start_engine, step_gate):
    step_gate.hold = lambda plan: len(plan.decodes) == 2 and plan.decodes[0].num_launched > 3
    engine = start_engine(make_runner(on_step=step_gate), max_running=2)
    for _ in range(5):
        engine.submit(make_sequence(max_tokens=1000))
    await step_gate.wait()

    stats = engine.stats()
    step_gate.open()

    assert (stats.submitted, stats.active, stats.pending, stats.waiting) == (5, 2, 3, 3)


async def test_counters_tell_what_was_done(start_engine, monkeypatch):
    begin = ScriptedRunner.begin
    monkeypatch.setattr(ScriptedRunner, "begin", lambda self, s: begin(self, s) or 2)
    engine = start_engine(make_runner([7, 8, STOP]), max_running=1)
    await read(engine.submit(make_sequence(max_tokens=9)))
    await read(engine.submit(make_sequence(max_tokens=2)))
    engine.submit(make_sequence("gone", max_tokens=10**6))
    engine.abort("gone")
    await eventually(lambda: engine.stats().ended.get("abort") == 1)

    stats = engine.stats()

    assert stats.ended == {"stop": 1, "length": 1, "abort": 1}
    assert (stats.prompt_tokens, stats.cached_tokens) in {(8, 4), (12, 6)}  # "gone" may have begun
    assert stats.completion_tokens >= 5
    assert sum(stats.step_counts) >= 5
    assert stats.step_seconds > 0


def test_what_loading_raises_start_raises():
    def fail():
        raise ValueError("no weights")

    engine = Engine(fail, EngineConfig())

    with pytest.raises(ValueError, match="no weights"):
        engine.start()

    assert not engine.is_alive
    engine.stop()


def test_a_runner_without_figures_does_not_keep_start_waiting(monkeypatch):
    def fail(self):
        raise ValueError("no figures")

    runner = make_runner()
    monkeypatch.setattr(type(runner), "stats", fail)

    with pytest.raises(ValueError, match="no figures"):
        Engine(lambda: runner, EngineConfig()).start()


async def test_an_engine_that_was_not_started_takes_nothing():
    engine = Engine(make_runner, EngineConfig())

    with pytest.raises(EngineNotRunning):
        engine.submit(make_sequence())


async def test_stopping_fails_what_is_left(start_engine):
    engine = start_engine(make_runner(), max_running=1)
    streams = [engine.submit(make_sequence(max_tokens=10**6)) for _ in range(3)]

    await asyncio.to_thread(engine.stop)
    answers = [await read(stream) for stream in streams]

    assert all(outputs[-1].error for outputs in answers)
    assert not engine.is_alive
    with pytest.raises(EngineNotRunning):
        engine.submit(make_sequence())


async def test_a_reader_whose_loop_is_gone_does_not_harm_the_engine(start_engine, step_gate):
    step_gate.hold = lambda plan: True
    engine = start_engine(make_runner(on_step=step_gate))

    async def submit_and_leave():
        engine.submit(make_sequence())

    await asyncio.to_thread(asyncio.run, submit_and_leave())
    step_gate.open()

    assert tokens(await read(engine.submit(make_sequence()))) == [7, 8, 9]
    await eventually(lambda: is_empty(engine))


class Recorder:
    """A matcher that is done after some tokens; notes what it was asked, and when.

    fail_at: number of the token at which it fails.
    """

    def __init__(self, length, fail_at=None):
        self.length, self.fail_at = length, fail_at
        self.accepted = []
        self.failure = None

    @property
    def is_done(self):
        return len(self.accepted) >= self.length

    def fill(self, row):
        raise AssertionError("nothing computes logits here")

    def accept(self, token):
        self.accepted.append(token)
        if len(self.accepted) == self.fail_at:
            self.failure = "the grammar is too slow"
        return True


async def test_a_constrained_sequence_is_launched_only_after_its_last_token_was_read(start_engine):
    matcher, seen = Recorder(length=5), []
    runner = make_runner(on_step=lambda plan: plan.decodes and seen.append(len(matcher.accepted)))
    engine = start_engine(runner)

    outputs = await read(engine.submit(make_sequence(max_tokens=99, matcher=matcher)))

    assert tokens(outputs) == matcher.accepted == [7, 8, 9, 10, 11]
    assert outputs[-1].finish_reason is FinishReason.STOP
    assert seen == [0, 1, 2, 3, 4]


async def test_rows_beside_a_constrained_one_advance_in_every_step(start_engine):
    widths = []
    engine = start_engine(make_runner(on_step=lambda plan: widths.append(len(plan.decodes))))

    sequences = [make_sequence(max_tokens=20), make_sequence(max_tokens=20, matcher=Recorder(20))]
    answers = await asyncio.gather(*(read(engine.submit(s)) for s in sequences))

    assert [len(tokens(outputs)) for outputs in answers] == [20, 20]
    # Two rows together most of the time, and no step of one of them in between.
    assert widths.count(2) >= 18


async def test_a_matcher_that_fails_ends_its_sequence_alone(start_engine):
    engine = start_engine(make_runner())
    bad = engine.submit(make_sequence(max_tokens=99, matcher=Recorder(99, fail_at=3)))
    good = engine.submit(make_sequence(max_tokens=9))

    failed, fine = await asyncio.gather(read(bad), read(good))

    assert "the grammar is too slow" in failed[-1].error
    assert len(tokens(fine)) == 9


class Refuser(Recorder):
    """Takes no token at all after the first two."""

    def accept(self, token):
        return len(self.accepted) < 2 and super().accept(token)


class HeedingRunner(ScriptedRunner):
    """Plays its tokens as if they had been drawn under the masks of their grammar."""

    def begin(self, sequence):
        matcher = sequence.matcher
        cached = super().begin(sequence)
        sequence.matcher = matcher
        return cached


async def test_a_token_that_its_grammar_refuses_fails_the_sequence_alone(start_engine):
    engine = start_engine(HeedingRunner(lambda sequence: range(7, 10**4)))
    bad = engine.submit(make_sequence(max_tokens=99, matcher=Refuser(99)))
    good = engine.submit(make_sequence(max_tokens=9))

    failed, fine = await asyncio.gather(read(bad), read(good))

    assert "token 9 was drawn although the answer's grammar forbids it" in failed[-1].error
    assert tokens(failed) == [7, 8]
    assert len(tokens(fine)) == 9


async def test_a_script_is_played_to_its_end_whatever_a_grammar_says(start_engine):
    engine = start_engine(make_runner())

    outputs = await read(engine.submit(make_sequence(max_tokens=9, matcher=Refuser(99))))

    assert len(tokens(outputs)) == 9
