"""One generation, from the engine's outputs to events, through the real engine."""

import asyncio
import time

import pytest

from inference.engine.plan import TokenOutput, TokenScores
from inference.engine.scripted import ScriptedRunner
from inference.engine.stream import TokenStream
from inference.errors import GenerationFailed
from inference.events import (
    Candidate,
    Failed,
    Finished,
    FinishReason,
    Idle,
    Lane,
    Started,
    TextDelta,
    TokenLogprobs,
    collect,
)
from inference.generation import Generation
from inference.request import GenerationRequest, TextPrompt
from inference.text.answer_reader import AnswerFormat, AnswerReaders
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer

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


def scripted_generation(*outputs, stop=()):
    """A generation whose engine has said all it will say."""
    tokenizer = ByteTokenizer()
    stream = TokenStream(asyncio.get_running_loop())
    for output in outputs:
        stream.push(output)
    return Generation(
        prompt_tokens=5,
        tokenizer=tokenizer,
        reader=AnswerReaders(tokenizer, AnswerFormat()).make(TextPrompt(""), [], stop),
        stream=stream,
        abort=lambda reason: None,
    )


async def test_scores_become_one_entry_for_each_token_the_stopping_one_included():
    a, b, end = ord("a"), ord("b"), END_OF_TURN
    generation = scripted_generation(
        TokenOutput("s", (a,), scores=(TokenScores(-0.5, ((a, -0.5), (b, -1.0))),)),
        TokenOutput(
            "s",
            (b, end),
            FinishReason.STOP,
            scores=(TokenScores(-2.0, ((a, -0.1), (b, -2.0))), TokenScores(0.0, ((end, 0.0),))),
        ),
    )

    finished = [event async for event in generation][-1]

    assert finished.usage.completion_tokens == 3
    assert finished.logprobs == (
        TokenLogprobs(Candidate(a, "a", -0.5), (Candidate(a, "a", -0.5), Candidate(b, "b", -1.0))),
        TokenLogprobs(Candidate(b, "b", -2.0), (Candidate(a, "a", -0.1), Candidate(b, "b", -2.0))),
        TokenLogprobs(Candidate(end, "<end>", 0.0), (Candidate(end, "<end>", 0.0),)),
    )


async def test_scores_without_alternatives_are_of_the_chosen_tokens():
    generation = scripted_generation(
        TokenOutput("s", (97,), FinishReason.LENGTH, scores=(TokenScores(-0.5),))
    )

    completion = await collect(generation)

    assert completion.logprobs == (TokenLogprobs(Candidate(97, "a", -0.5)),)


async def test_tokens_after_a_stop_string_count_for_nothing_however_they_come():
    ids = tuple(b"ab##cd")
    scores = tuple(TokenScores(-1.0) for _ in ids)
    generation = scripted_generation(
        TokenOutput("s", ids, FinishReason.LENGTH, scores=scores), stop=("##",)
    )

    completion = await collect(generation)

    assert (completion.text, completion.reason) == ("ab", FinishReason.STOP)
    assert completion.usage.completion_tokens == len(completion.logprobs) == 4


async def test_no_scores_are_no_logprobs():
    generation = scripted_generation(TokenOutput("s", (97,), FinishReason.LENGTH))

    assert (await collect(generation)).logprobs == ()


async def test_a_nudge_yields_idle_when_there_is_nothing_to_tell():
    generation = scripted_generation()
    events = aiter(generation)
    assert await anext(events) == Started(5)

    for _ in range(2):
        generation.nudge()
        assert await anext(events) == Idle()


async def test_a_nudge_yields_idle_when_all_text_is_held_back():
    generation = scripted_generation(TokenOutput("s", ("😀".encode()[0],)))
    events = aiter(generation)
    await anext(events)

    generation.nudge()

    assert await anext(events) == Idle()


async def test_a_nudge_yields_nothing_beside_news():
    generation = scripted_generation(TokenOutput("s", (97,), FinishReason.LENGTH))
    generation.nudge()

    events = [event async for event in generation]

    assert [type(event) for event in events] == [Started, TextDelta, Finished]
