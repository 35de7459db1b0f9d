"""Events to OpenAI's chat objects: whole, and chunk by chunk."""

import json

from inference.api import sse
from inference.api.openai.blocks import DONE, usage_block
from inference.api.openai.chat_answer import ChatAnswer
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

USAGE = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3, lane=Lane.BATCHED)
LOGPROBS = (TokenLogprobs(Candidate(7, "a", -0.5)),)


def fold(*events):
    answer = ChatAnswer("abc", "org/model", created=7)
    return [text for event in events for text in answer.feed(event)]


def parse(text):
    return json.loads(text.removeprefix("data: "))


def test_an_answer_is_role_content_reason_with_usage_and_the_end_marker():
    wire = fold(Started(5), TextDelta("é"), TextDelta("b"), Finished(FinishReason.STOP, USAGE))

    assert wire[-1] == DONE == "data: [DONE]\n\n"
    chunks = [parse(text) for text in wire[:-1]]
    assert [chunk["choices"] for chunk in chunks] == [
        [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
        [{"index": 0, "delta": {"content": "é"}, "finish_reason": None}],
        [{"index": 0, "delta": {"content": "b"}, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    ]
    assert [chunk.get("usage") for chunk in chunks] == [None, None, None, usage_block(USAGE)]
    for chunk in chunks:
        assert (chunk["id"], chunk["created"], chunk["model"], chunk["object"]) == (
            "chatcmpl-abc",
            7,
            "org/model",
            "chat.completion.chunk",
        )


def test_the_limit_is_told():
    [chunk, _done] = fold(Finished(FinishReason.LENGTH, USAGE))

    assert parse(chunk)["choices"][0]["finish_reason"] == "length"


def test_silence_is_a_comment():
    assert fold(Idle()) == [sse.KEEP_ALIVE]


def test_no_chunk_carries_logprobs():
    [chunk, _done] = fold(Finished(FinishReason.STOP, USAGE, LOGPROBS))

    assert "logprobs" not in chunk


def test_a_failure_is_an_error_and_no_end_marker():
    wire = fold(Started(5), TextDelta("a"), Failed(GenerationFailed("generation failed: x")))

    assert parse(wire[-1]) == {
        "error": {
            "message": "generation failed: x",
            "type": "api_error",
            "param": None,
            "code": "server_error",
        }
    }
    assert DONE not in wire
    assert all(parse(text)["choices"][0]["finish_reason"] is None for text in wire[:-1])


def test_a_whole_answer_is_one_object():
    answer = ChatAnswer("abc", "org/model", created=7)

    assert answer.whole(Completion("hello", FinishReason.STOP, USAGE)) == {
        "id": "chatcmpl-abc",
        "object": "chat.completion",
        "created": 7,
        "model": "org/model",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "hello"},
                "finish_reason": "stop",
            }
        ],
        "usage": usage_block(USAGE),
    }


def test_a_whole_answer_carries_the_logprobs_that_were_asked_for():
    body = ChatAnswer("abc", "m").whole(Completion("a", FinishReason.STOP, USAGE, LOGPROBS))

    assert body["choices"][0]["logprobs"] == {"content": [{"id": 7, "logprob": -0.5}]}
    assert body["created"] > 7
