"""Streams as they are on the wire, line by line."""

import json

import pytest

pytestmark = pytest.mark.slow


def stream(http, content="Count to five.", **fields):
    """Read a whole stream: its chunks as objects, and its raw lines."""
    body = {"messages": [{"role": "user", "content": content}], "stream": True, **fields}
    with http.stream("POST", "/v1/chat/completions", json=body) as response:
        assert response.status_code == 200
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        response.read()
    lines = [line for line in response.content.decode().split("\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    chunks = [json.loads(line[6:]) for line in lines if line != "data: [DONE]"]
    return chunks, lines


def test_a_stream_has_one_beginning_and_one_end(http):
    # Public case st-10.
    chunks, lines = stream(http, max_tokens=32)

    assert lines[-1] == "data: [DONE]"
    assert lines.count("data: [DONE]") == 1
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert reasons == [None] * (len(chunks) - 1) + ["length"]
    assert len({(chunk["id"], chunk["created"]) for chunk in chunks}) == 1
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    assert all("role" not in chunk["choices"][0]["delta"] for chunk in chunks[1:])


@pytest.mark.parametrize(
    "options", [{}, {"stream_options": {"include_usage": True}}, {"stream_options": None}]
)
def test_every_chunk_has_a_choice_and_the_last_the_usage(http, options):
    # Public case st-11: usage rides on the finish chunk, asked for or not.
    chunks, _lines = stream(http, "hi", max_tokens=4, **options)

    assert all(len(chunk["choices"]) == 1 for chunk in chunks)
    assert [("usage" in chunk) for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    usage = chunks[-1]["usage"]
    assert usage["prompt_tokens"] + usage["completion_tokens"] == usage["total_tokens"]


def test_a_streamed_answer_is_the_whole_answer(http):
    text = "Grüße 😀 中文\n\n data: [DONE]"
    body = {"messages": [{"role": "user", "content": text}]}

    chunks, _lines = stream(http, text)
    whole = http.post("/v1/chat/completions", json=body).json()

    pieces = [chunk["choices"][0]["delta"].get("content", "") for chunk in chunks]
    assert "".join(pieces) == whole["choices"][0]["message"]["content"]
    assert text in "".join(pieces)
    assert not any("\ufffd" in piece for piece in pieces)


def test_no_part_of_a_stop_string_is_sent(http):
    chunks, _lines = stream(http, "The quick brown fox jumps", stop=["own fox"])

    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks)
    assert text == "This is the scripted model. You said: The quick br"
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
