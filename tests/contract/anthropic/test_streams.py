"""Streams as they are on the wire, from a scripted model in this process."""

import pytest

from inference.api import sse
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN

SILENCE = 0.05  # seconds after which a stream shows that it lives
PREFILL = 0.5


def body(**fields):
    return {"max_tokens": 50, "messages": [{"role": "user", "content": "x"}], **fields}


@pytest.fixture
def serve_text(make_service, serve):
    """Call with an answer to have every request answered by it, a token at a time."""

    def serve_script(text, **delays):
        script = [*text.encode(), END_OF_TURN]
        serve(make_service(runner=ScriptedRunner(lambda sequence: script, **delays)))

    return serve_script


def text_of(reply):
    deltas = [event.get("delta", {}) for event in reply.events]
    return "".join(delta.get("text", "") for delta in deltas)


async def test_a_streamed_message_is_the_whole_message(serve_text, post):
    text = "Grüße 😀 中文\n\n event: message_stop"
    serve_text(text)

    streamed, whole = await post(body(stream=True)), await post(body())

    assert streamed.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert text_of(streamed) == whole.body["content"][0]["text"] == text
    started, ended = streamed.events[0]["message"], streamed.events[-2]
    assert {**started, **ended["delta"], "id": None, "content": None, "usage": None} == {
        **whole.body,
        "id": None,
        "content": None,
        "usage": None,
    }
    assert ended["usage"] == whole.body["usage"]
    assert started["usage"] == {
        "input_tokens": whole.body["usage"]["input_tokens"],
        "output_tokens": 0,
    }


async def test_ids_are_those_of_the_header_and_never_repeated(serve_text, post):
    serve_text("ok")

    replies = [await post(body(stream=True)) for _ in range(3)]

    ids = [reply.events[0]["message"]["id"] for reply in replies]
    assert len(set(ids)) == 3
    assert [reply.headers["request-id"] for reply in replies] == [
        name.replace("msg_", "req_") for name in ids
    ]


@pytest.mark.parametrize("stop", [["ZZZ", "STOP"], ["STOP"]])
async def test_no_part_of_a_stop_sequence_is_sent(serve_text, post, stop):
    """Public cases an-01, variants 1 and 2, and st-04: the text."""
    serve_text("A B C STOP D")

    streamed = await post(body(stream=True, stop_sequences=stop))
    whole = await post(body(stop_sequences=stop))

    assert text_of(streamed) == whole.body["content"][0]["text"] == "A B C "


async def test_an_answer_that_ends_by_itself_and_one_that_is_cut(serve_text, post):
    """Public case an-01, variants 3 and 4."""
    serve_text("A B C STOP D")

    whole, cut = await post(body()), await post(body(max_tokens=1))

    assert (whole.body["stop_reason"], whole.body["stop_sequence"]) == ("end_turn", None)
    assert cut.body["stop_reason"] == "max_tokens"


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(sse, "KEEP_ALIVE_SECONDS", SILENCE)


async def test_a_long_prompt_is_bridged_by_pings(impatient, serve_text, post):
    """Public case st-13, on this route."""
    serve_text("ok", prefill_seconds=PREFILL)

    reply = await post(body(stream=True))

    assert reply.kinds[0] == "message_start"
    assert reply.kinds[1:4] == ["ping"] * 3
    assert text_of(reply) == "ok"


async def test_a_long_prompt_is_bridged_by_thinking_for_those_who_expect_it(
    impatient, serve_text, post
):
    serve_text("ok", prefill_seconds=PREFILL)

    reply = await post(body(stream=True, thinking={"type": "adaptive"}))

    assert reply.kinds[:4] == ["message_start", "content_block_start", *["thinking_delta"] * 2]
    assert "ping" not in reply.kinds
    assert text_of(reply) == "ok"


async def test_silence_in_the_text_is_bridged_by_empty_deltas(impatient, serve_text, post):
    serve_text("ok", step_seconds=PREFILL)

    reply = await post(body(stream=True))

    written = [event["delta"] for event in reply.events if event["type"] == "content_block_delta"]
    deltas = [delta["text"] for delta in written]
    assert "" in deltas[1:-1]
    assert "".join(deltas) == "ok"
