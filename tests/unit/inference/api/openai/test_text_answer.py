"""Events to OpenAI's text completion objects: whole, and chunk by chunk."""

import json

from inference.api import sse
from inference.api.openai.blocks import DONE, usage_block
from inference.api.openai.text_answer import TextAnswer
from inference.errors import GenerationFailed
from inference.events import (
    Candidate,
    Completion,
    Failed,
    Finished,
    FinishReason,
    Idle,
    Lane,
    Started,
    TextDelta,
    TokenLogprobs,
    Usage,
)

USAGE = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3, lane=Lane.SERIAL)
LOGPROBS = (TokenLogprobs(Candidate(7, "a", -0.5)),)
COMMON = {"id": "cmpl-abc", "object": "text_completion", "created": 7, "model": "org/model"}


def fold(*events):
    answer = TextAnswer("abc", "org/model", created=7)
    return [text for event in events for text in answer.feed(event)]


def parse(text):
    return json.loads(text.removeprefix("data: "))


def test_an_answer_is_text_reason_with_usage_and_the_end_marker():
    wire = fold(TextDelta("é"), TextDelta("b"), Finished(FinishReason.LENGTH, USAGE))

    assert wire[-1] == DONE
    assert [parse(text) for text in wire[:-1]] == [
        {**COMMON, "choices": [{"index": 0, "text": "é", "finish_reason": None}]},
        {**COMMON, "choices": [{"index": 0, "text": "b", "finish_reason": None}]},
        {
            **COMMON,
            "choices": [{"index": 0, "text": "", "finish_reason": "length"}],
            "usage": usage_block(USAGE),
        },
    ]


def test_the_beginning_and_silence_are_comments():
    assert fold(Started(5), Idle()) == [sse.KEEP_ALIVE, sse.KEEP_ALIVE]


def test_no_chunk_carries_logprobs():
    [chunk, _done] = fold(Finished(FinishReason.STOP, USAGE, LOGPROBS))

    assert "logprobs" not in chunk


def test_a_failure_is_an_error_and_no_end_marker():
    [_delta, failure] = fold(TextDelta("a"), Failed(GenerationFailed("generation failed: x")))

    assert parse(failure)["error"]["message"] == "server error: generation failed: x"


def test_a_whole_answer_is_one_object():
    answer = TextAnswer("abc", "org/model", created=7)

    assert answer.whole(Completion("hello", FinishReason.STOP, USAGE)) == {
        **COMMON,
        "choices": [{"index": 0, "text": "hello", "finish_reason": "stop"}],
        "usage": usage_block(USAGE),
    }


def test_a_whole_answer_carries_the_logprobs_that_were_asked_for():
    body = TextAnswer("abc", "m").whole(Completion("a", FinishReason.STOP, USAGE, LOGPROBS))

    assert body["choices"][0]["logprobs"] == {"content": [{"id": 7, "logprob": -0.5}]}
