"""One generation, from the engine's outputs to events, through the real engine."""

import asyncio
import time

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.errors import GenerationFailed
from inference.events import Failed, Finished, FinishReason, Lane, Started, TextDelta, collect
from inference.request import GenerationRequest, TextPrompt
from inference.text.byte_tokenizer import END_OF_TURN

BOUND = 10  # seconds until waiting for the engine is a failure


def request(id="a", **fields):
    return GenerationRequest(id, TextPrompt("hello"), **fields)


def endless(sequence):
    return b"x"


def text_of(events):
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def events_of(service, wanted):
    async with await service.generate(wanted) as generation:
        return [event async for event in generation]


async def until_idle(service):
    deadline = time.monotonic() + BOUND
    while (stats := service.stats()).active + stats.pending:
        assert time.monotonic() < deadline, "the sequence is still in the engine"
        await asyncio.sleep(0.01)


async def until_active(service):
    deadline = time.monotonic() + BOUND
    while not service.stats().active:
        assert time.monotonic() < deadline, "the sequence never ran"
        await asyncio.sleep(0.01)


async def test_an_answer_is_started_then_text_then_finished(make_service):
    events = await events_of(make_service("Hello 😀"), request())

    assert events[0] == Started(prompt_tokens=5)
    assert text_of(events) == "Hello 😀"
    assert all(isinstance(event, TextDelta) and event.text for event in events[1:-1])
    assert isinstance(events[-1], Finished)
    assert events[-1].reason is FinishReason.STOP


async def test_usage_counts_the_prompt_and_the_tokens_the_stopping_one_included(make_service):
    usage = (await events_of(make_service("abc"), request()))[-1].usage

    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (5, 4, 0)
    assert usage.lane is Lane.SERIAL


async def test_the_token_limit_ends_an_answer(make_service):
    events = await events_of(make_service("abcdef"), request(max_tokens=3))

    assert text_of(events) == "abc"
    assert events[-1].reason is FinishReason.LENGTH
    assert events[-1].usage.completion_tokens == 3


async def test_an_end_of_turn_that_fills_the_limit_is_a_stop(make_service):
    events = await events_of(make_service("abc"), request(max_tokens=4))

    assert (text_of(events), events[-1].reason) == ("abc", FinishReason.STOP)


async def test_a_limit_inside_a_character_shows_that_something_is_missing(make_service):
    events = await events_of(make_service("a😀"), request(max_tokens=3))

    assert (text_of(events), events[-1].reason) == ("a\ufffd", FinishReason.LENGTH)


async def test_a_stop_string_ends_the_answer_and_takes_the_sequence_out(make_service):
    service = make_service(runner=ScriptedRunner(lambda s: b"The quick brown fox jumps" * 20))

    events = await events_of(service, request(stop=("own fox",)))

    assert text_of(events) == "The quick br"
    assert events[-1].reason is FinishReason.STOP
    assert events[-1].usage.completion_tokens >= len("The quick brown fox")
    await until_idle(service)


async def test_a_stop_string_on_the_last_token_is_a_stop(make_service):
    events = await events_of(make_service("abXY"), request(stop=("XY",), max_tokens=4))

    assert (text_of(events), events[-1].reason) == ("ab", FinishReason.STOP)


async def test_text_held_back_for_a_stop_string_comes_at_the_end(make_service):
    events = await events_of(make_service("ab##"), request(stop=("###",)))

    assert (text_of(events), events[-1].reason) == ("ab##", FinishReason.STOP)


async def test_the_stop_token_is_never_shown_nor_what_follows_it(make_service):
    runner = ScriptedRunner(lambda sequence: [*b"ab", END_OF_TURN, *b"cd"])

    events = await events_of(make_service(runner=runner), request())

    assert text_of(events) == "ab"


async def test_a_failed_step_ends_the_generation_with_the_reason(make_service, caplog):
    def fail(plan):
        if plan.decodes and len(plan.decodes[0].output) == 1:
            raise MemoryError("no memory left")

    service = make_service(runner=ScriptedRunner(endless, on_step=fail))

    events = await events_of(service, request(max_tokens=10))

    assert isinstance(events[-1], Failed)
    assert events[-1].error.message == "generation failed: MemoryError: no memory left"
    assert not any(isinstance(event, Finished) for event in events)
    assert service.is_alive


async def test_an_engine_that_stops_fails_what_it_had(make_service):
    service = make_service(runner=ScriptedRunner(endless, step_seconds=0.01))
    generation = await service.generate(request())
    await until_active(service)

    await asyncio.to_thread(service._engine.stop)

    with pytest.raises(GenerationFailed, match="the engine stopped"):
        await collect(generation)


async def test_close_takes_the_sequence_out_and_may_be_repeated(make_service):
    service = make_service(runner=ScriptedRunner(endless, step_seconds=0.001))
    generation = await service.generate(request())
    await until_active(service)

    generation.close()
    generation.close()

    await until_idle(service)


async def test_close_after_the_end_asks_nothing_of_the_engine(make_service, monkeypatch):
    service = make_service()
    aborted = []
    monkeypatch.setattr(service._engine, "abort", aborted.append)

    await events_of(service, request())

    assert aborted == []


async def test_a_cancelled_reader_takes_the_sequence_out(make_service):
    service = make_service(runner=ScriptedRunner(endless, step_seconds=0.001))
    generation = await service.generate(request())
    reader = asyncio.create_task(collect(generation))
    await until_active(service)

    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader

    generation.close()  # as whoever holds one must, on every path
    await until_idle(service)


async def test_leaving_the_block_early_takes_the_sequence_out(make_service):
    service = make_service(runner=ScriptedRunner(endless, step_seconds=0.001))

    async with await service.generate(request()) as generation:
        async for event in generation:
            if isinstance(event, TextDelta):
                break

    await until_idle(service)


async def test_answers_side_by_side_are_not_mixed_and_report_their_lane(make_service):
    runner = ScriptedRunner(
        lambda sequence: [*(sequence.id * 20).encode(), END_OF_TURN], step_seconds=0.001
    )
    service = make_service(runner=runner)

    answers = await asyncio.gather(*(events_of(service, request(id=name)) for name in "abc"))

    assert [text_of(events) for events in answers] == ["a" * 20, "b" * 20, "c" * 20]
    assert {events[-1].usage.lane for events in answers} == {Lane.BATCHED}
