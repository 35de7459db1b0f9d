"""What the engine notes of a traced sequence, through the real loop."""

import asyncio
import json
import time

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.trace import Outcome, Trace
from tests.plugins.scripted_engine import eventually, is_empty, make_runner, read
from tests.plugins.scripted_engine import make_sequence as make_plain_sequence

ENGINE_PHASES = {
    "engine.admission_wait",
    "cache.lookup_restore",
    "prefill.total",
    "prefill.chunk",
    "token_zero.total",
}


class Traced:
    """A sequence, and the events of its record once `finish` was called."""

    def __init__(self, **fields):
        self.lines = []
        self.sequence = make_plain_sequence(**fields)
        self.sequence.trace = Trace(
            trace_id="t", request_id="r", route="/", write=self.lines.append
        )

    def events(self):
        self.sequence.trace.finish(Outcome.SUCCESS)
        return json.loads(self.lines[0].removeprefix("[p2r] "))["events"]


async def events_of(engine, **fields):
    traced = Traced(**fields)
    await read(engine.submit(traced.sequence))
    return traced.events()


def attributes(events, phase):
    return [event["attributes"] for event in events if event["phase"] == phase]


def span(events, phase):
    [event] = [event for event in events if event["phase"] == phase]
    return event["startMs"], event["startMs"] + event["durationMs"]


async def test_a_sequence_has_every_phase_of_the_engine_once_and_none_is_open(start_engine):
    events = await events_of(start_engine(make_runner()), prompt=4)

    assert sorted(event["phase"] for event in events) == sorted(ENGINE_PHASES)
    assert not any("unfinished" in event.get("attributes", {}) for event in events)


async def test_every_chunk_of_a_prompt_is_told_and_all_lie_within_its_prefill(start_engine):
    engine = start_engine(make_runner(), max_prefill_tokens=4)

    events = await events_of(engine, prompt=11)

    chunks = attributes(events, "prefill.chunk")
    assert [(chunk["start"], chunk["tokens"]) for chunk in chunks] == [(0, 4), (4, 4), (8, 2)]
    assert attributes(events, "prefill.total") == [{"tokens": 10, "cachedTokens": 0}]
    begin, end = span(events, "prefill.total")
    for event in events:
        if event["phase"] == "prefill.chunk":
            assert begin <= event["startMs"]
            assert event["startMs"] + event["durationMs"] <= end + 0.01  # rounded


async def test_the_phases_begin_in_the_order_of_a_request_s_life(start_engine):
    events = await events_of(start_engine(make_runner()), prompt=4)

    assert [event["phase"] for event in events] == [
        "engine.admission_wait",
        "cache.lookup_restore",
        "prefill.total",
        "prefill.chunk",
        "token_zero.total",
    ]


class CachedRunner(ScriptedRunner):
    """Has all of every prompt but its last token."""

    def begin(self, sequence):
        super().begin(sequence)
        return len(sequence.prompt) - 1


async def test_a_prompt_that_was_cached_has_no_chunks(start_engine):
    events = await events_of(start_engine(CachedRunner(lambda s: range(7, 99))), prompt=6)

    assert attributes(events, "prefill.chunk") == []
    assert attributes(events, "prefill.total") == [{"tokens": 0, "cachedTokens": 5}]


async def test_the_wait_for_a_place_lasts_while_another_sequence_has_it(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate), max_running=1)
    first = engine.submit(make_plain_sequence())
    await step_gate.wait()
    traced = Traced()
    stream = engine.submit(traced.sequence)
    submitted = time.perf_counter()

    await asyncio.sleep(0.01)
    held = time.perf_counter() - submitted
    step_gate.open()
    await read(first)
    await read(stream)

    begin, end = span(traced.events(), "engine.admission_wait")
    assert end - begin >= held * 1000


async def test_a_sequence_aborted_in_the_queue_is_still_waiting(start_engine, step_gate):
    step_gate.hold = lambda plan: bool(plan.decodes)
    engine = start_engine(make_runner(on_step=step_gate), max_running=1)
    engine.submit(make_plain_sequence())
    await step_gate.wait()
    traced = Traced()
    engine.submit(traced.sequence)

    engine.abort(traced.sequence.id)
    step_gate.open()
    await eventually(lambda: is_empty(engine))

    [event] = traced.events()
    assert event["phase"] == "engine.admission_wait"
    assert event["attributes"] == {"unfinished": True}


async def test_a_step_that_fails_leaves_its_phase_unfinished(start_engine, caplog):
    def fail(plan):
        if plan.decodes:
            raise MemoryError("no memory left")

    events = await events_of(start_engine(make_runner(on_step=fail)))

    assert attributes(events, "token_zero.total") == [{"unfinished": True}]


@pytest.mark.parametrize("traced_one", [0, 1])
async def test_only_traced_sequences_are_noted_in_a_shared_step(start_engine, traced_one):
    engine = start_engine(make_runner())
    traced = Traced()
    sequences = [make_plain_sequence(), make_plain_sequence()]
    sequences[traced_one] = traced.sequence

    streams = [engine.submit(sequence) for sequence in sequences]
    for stream in streams:
        await read(stream)

    assert {event["phase"] for event in traced.events()} == ENGINE_PHASES
