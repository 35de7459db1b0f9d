"""The client notes when text came, and what the server counted."""

import json

import httpx
import pytest

from benchmarks.client import Answer, ask


def event(content=None, **fields):
    delta = {} if content is None else {"content": content}
    return {"choices": [{"index": 0, "delta": delta}], **fields}


def client_of(*events, status=200):
    lines = [": keepalive 1/2", *(f"data: {json.dumps(e)}" for e in events), "data: [DONE]"]
    body = "".join(f"{line}\n\n" for line in lines)

    def answer(request):
        sent.append(json.loads(request.content))
        return httpx.Response(status, text=body)

    sent = []
    client = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://test")
    return client, sent


async def test_only_events_with_text_are_noted():
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}
    client, _ = client_of(event(), event("On"), event(""), event("ce"), event(), usage)

    answer = await ask(client, [], 3)

    assert len(answer.times) == 2
    assert (answer.prompt_tokens, answer.completion_tokens) == (9, 3)
    assert answer.sent_at <= answer.times[0] <= answer.times[1]


async def test_it_asks_greedily_for_a_stream_with_usage():
    client, sent = client_of(event("On"))

    await ask(client, [{"role": "user", "content": "Hi"}], 3)

    assert sent == [
        {
            "messages": [{"role": "user", "content": "Hi"}],
            "max_tokens": 3,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]


async def test_a_refusal_is_an_error_with_the_servers_words():
    client, _ = client_of({"error": {"message": "the queue is full"}}, status=429)

    with pytest.raises(RuntimeError, match=r"(?s)status 429: .*the queue is full"):
        await ask(client, [], 3)


async def test_an_error_inside_the_stream_is_an_error():
    client, _ = client_of(event("On"), {"error": {"message": "the step failed"}})

    with pytest.raises(RuntimeError, match="the step failed"):
        await ask(client, [], 3)


def test_an_answer_without_text_has_no_first_token():
    with pytest.raises(RuntimeError, match="no text"):
        _ = Answer(0.0).seconds_to_first_token
