"""Collecting a stream of events into one answer."""

import pytest

from inference.errors import GenerationFailed
from inference.events import (
    Completion,
    Failed,
    Finished,
    FinishReason,
    Idle,
    Lane,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolCalled,
    Usage,
    collect,
)

USAGE = Usage(prompt_tokens=3, completion_tokens=2, cached_tokens=1, lane=Lane.SERIAL)


async def stream(*events):
    for event in events:
        yield event


async def test_the_pieces_become_one_text():
    finished = Finished(FinishReason.STOP, USAGE)

    completion = await collect(stream(Started(3), TextDelta("a"), TextDelta("b"), finished))

    assert completion == Completion("ab", FinishReason.STOP, USAGE)


async def test_reasoning_and_calls_are_kept_apart_from_the_text():
    call = ToolCalled("1", "weather", '{"city":"Oslo"}')
    finished = Finished(FinishReason.TOOL_CALLS, USAGE, stop_string="\n")
    thoughts = (ReasoningDelta("I "), ReasoningDelta("see"))

    completion = await collect(
        stream(Started(3), *thoughts, TextDelta("a"), Idle(), call, finished)
    )

    assert completion == Completion(
        "a",
        FinishReason.TOOL_CALLS,
        USAGE,
        reasoning="I see",
        tool_calls=(call,),
        stop_string="\n",
    )


async def test_an_answer_may_be_empty():
    completion = await collect(stream(Started(3), Finished(FinishReason.LENGTH, USAGE)))

    assert completion == Completion("", FinishReason.LENGTH, USAGE)


async def test_a_failure_is_raised():
    error = GenerationFailed("generation failed: it broke")

    with pytest.raises(GenerationFailed, match="it broke"):
        await collect(stream(Started(3), TextDelta("a"), Failed(error)))


@pytest.mark.parametrize(
    ("value", "wire"), [(FinishReason.STOP, "stop"), (FinishReason.LENGTH, "length")]
)
def test_reasons_are_the_words_on_the_wire(value, wire):
    assert value.value == wire
