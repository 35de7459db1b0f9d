"""Streams as they are on the wire, line by line."""

import json

import pytest

pytestmark = pytest.mark.slow

COMMENT = ": keep-alive"


@pytest.fixture
def stream(http, route):
    """Call to read a whole stream: its chunks as objects, and its raw lines."""

    def read(text="Count to five.", **fields):
        body = route.body(text, stream=True, **fields)
        with http.stream("POST", route.path, json=body) as response:
            assert response.status_code == 200
            assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
            response.read()
        lines = [line for line in response.content.decode().split("\n") if line]
        lines = [line for line in lines if line != COMMENT]
        assert all(line.startswith("data: ") for line in lines)
        chunks = [json.loads(line[6:]) for line in lines if line != "data: [DONE]"]
        return chunks, lines

    return read


def test_a_stream_has_one_beginning_and_one_end(stream, route):
    """Public case st-10."""
    chunks, lines = stream(max_tokens=32)

    assert lines[-1] == "data: [DONE]"
    assert lines.count("data: [DONE]") == 1
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert reasons == [None] * (len(chunks) - 1) + ["length"]
    assert len({(chunk["id"], chunk["created"]) for chunk in chunks}) == 1
    if route.is_chat:
        assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
        assert all("role" not in chunk["choices"][0]["delta"] for chunk in chunks[1:])


@pytest.mark.parametrize(
    "options", [{}, {"stream_options": {"include_usage": True}}, {"stream_options": None}]
)
def test_every_chunk_has_a_choice_and_the_last_the_usage(stream, options):
    """Public case st-11: usage rides on the finish chunk, asked for or not."""
    chunks, _lines = stream("hi", max_tokens=4, **options)

    assert all(len(chunk["choices"]) == 1 for chunk in chunks)
    assert [("usage" in chunk) for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    usage = chunks[-1]["usage"]
    assert usage["prompt_tokens"] + usage["completion_tokens"] == usage["total_tokens"]


def test_a_streamed_answer_is_the_whole_answer(stream, http, route):
    text = "Grüße 😀 中文\n\n data: [DONE]"

    chunks, _lines = stream(text)
    whole = http.post(route.path, json=route.body(text)).json()

    pieces = [route.text(chunk["choices"][0]) for chunk in chunks]
    assert "".join(pieces) == route.text(whole["choices"][0])
    assert text in "".join(pieces)
    assert not any("\ufffd" in piece for piece in pieces)


def test_no_chunk_carries_logprobs(stream):
    chunks, _lines = stream(max_tokens=4, logprobs=True, top_logprobs=2)

    assert not any("logprobs" in chunk["choices"][0] for chunk in chunks)


def test_no_part_of_a_stop_string_is_sent(stream, route):
    """Public case st-04, over HTTP."""
    chunks, _lines = stream("The quick brown fox jumps", stop=["own fox"])

    text = "".join(route.text(chunk["choices"][0]) for chunk in chunks)
    assert text == "This is the scripted model. You said: The quick br"
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
