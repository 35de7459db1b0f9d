"""Events to OpenAI's objects: the fold, chunk by chunk."""

import json

from inference.api.openai.stream import DONE, ChatChunks, completion_body
from inference.errors import GenerationFailed
from inference.events import (
    Completion,
    Failed,
    Finished,
    FinishReason,
    Lane,
    Started,
    TextDelta,
    Usage,
)

USAGE = Usage(prompt_tokens=5, completion_tokens=2, cached_tokens=3, lane=Lane.BATCHED)
WIRE_USAGE = {
    "prompt_tokens": 5,
    "completion_tokens": 2,
    "total_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 3},
    "lane": "batched",
}


def fold(*events):
    chunks = ChatChunks("abc", "org/model", created=7)
    return [text for event in events for text in chunks.feed(event)]


def parse(text):
    return json.loads(text.removeprefix("data: "))


def test_an_answer_is_role_content_reason_with_usage_and_the_end_marker():
    wire = fold(Started(5), TextDelta("é"), TextDelta("b"), Finished(FinishReason.STOP, USAGE))

    assert wire[-1] == DONE == "data: [DONE]\n\n"
    chunks = [parse(text) for text in wire[:-1]]
    assert [chunk["choices"][0]["delta"] for chunk in chunks] == [
        {"role": "assistant", "content": ""},
        {"content": "é"},
        {"content": "b"},
        {},
    ]
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert reasons == [None, None, None, "stop"]
    assert [chunk.get("usage") for chunk in chunks] == [None, None, None, WIRE_USAGE]
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
    body = completion_body(Completion("hello", FinishReason.STOP, USAGE), "abc", "org/model")

    assert body.pop("created") > 0
    assert body == {
        "id": "chatcmpl-abc",
        "object": "chat.completion",
        "model": "org/model",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "hello"},
                "finish_reason": "stop",
            }
        ],
        "usage": WIRE_USAGE,
    }
