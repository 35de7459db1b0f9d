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
    ReasoningDelta,
    Started,
    TextDelta,
    TokenLogprobs,
    ToolCalled,
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
            "message": "server error: generation failed: x",
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


CALLS = (ToolCalled("1", "w", '{"city":"Oslo"}'), ToolCalled("2", "w", "{}"))
WIRE_CALLS = [
    {
        "id": f"call_{call.id}",
        "type": "function",
        "function": {"name": "w", "arguments": call.arguments},
    }
    for call in CALLS
]


def test_reasoning_and_calls_are_deltas_of_their_own():
    finished = Finished(FinishReason.TOOL_CALLS, USAGE)

    wire = fold(Started(5), ReasoningDelta("hm"), TextDelta("a"), *CALLS, finished)

    choices = [parse(text)["choices"][0] for text in wire[:-1]]
    assert [choice["delta"] for choice in choices[1:]] == [
        {"reasoning": "hm"},
        {"content": "a"},
        {"tool_calls": [{"index": 0, **WIRE_CALLS[0]}]},
        {"tool_calls": [{"index": 1, **WIRE_CALLS[1]}]},
        {},
    ]
    assert choices[-1]["finish_reason"] == "tool_calls"


def test_a_whole_answer_tells_reasoning_and_calls_apart():
    completion = Completion("a", FinishReason.TOOL_CALLS, USAGE, reasoning="hm", tool_calls=CALLS)

    [choice] = ChatAnswer("abc", "org/model", created=7).whole(completion)["choices"]

    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] == {
        "role": "assistant",
        "content": "a",
        "reasoning": "hm",
        "tool_calls": WIRE_CALLS,
    }


def test_the_content_of_an_answer_that_only_calls_is_null():
    only_calls = Completion("", FinishReason.TOOL_CALLS, USAGE, tool_calls=CALLS)
    nothing = Completion("", FinishReason.STOP, USAGE)

    contents = [
        ChatAnswer("abc", "m").whole(completion)["choices"][0]["message"]["content"]
        for completion in (only_calls, nothing)
    ]

    assert contents == [None, ""]
