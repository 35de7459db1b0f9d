"""Questions to the server: retries, limits and failures."""

import asyncio

import pytest

from jobs.dataset.client import ServerClient
from jobs.dataset.errors import CallFailed, ServerRefused
from jobs.dataset.rows import user


def ask(url, log=lambda line: None, **options):
    async def run():
        async with ServerClient(url, key=None, model=None, log=log) as client:
            return await client.ask(user("hi"), **options)

    return asyncio.run(run())


def test_an_answer_is_text_reasoning_and_calls(model_server):
    call = {"function": {"name": "f", "arguments": '{"a": 1}'}}
    model_server.reply = lambda body: {"content": " a ", "reasoning": "b", "tool_calls": [call]}

    answer = ask(model_server.url)

    assert (answer.text, answer.reasoning, answer.calls) == ("a", "b", (("f", '{"a": 1}'),))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_is_asked_again(model_server, status):
    answers = [(status, {"error": {"message": "later"}}), "good"]
    model_server.reply = lambda body: answers.pop(0)

    assert ask(model_server.url).text == "good"


def test_a_server_that_stays_busy_fails_the_call(model_server):
    model_server.reply = lambda body: (503, {"error": "loading"})

    with pytest.raises(CallFailed, match="503: loading"):
        ask(model_server.url)

    assert len(model_server.requests) == 3


def test_a_bad_request_is_not_repeated(model_server):
    model_server.reply = lambda body: (400, {"error": {"message": "no"}})

    with pytest.raises(CallFailed):
        ask(model_server.url)

    assert len(model_server.requests) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_is_final(model_server, status):
    model_server.reply = lambda body: (status, {})

    with pytest.raises(ServerRefused):
        ask(model_server.url)


@pytest.mark.parametrize("reply", ["", " \n", {"content": None}, {"content": "", "reasoning": "x"}])
def test_an_answer_that_says_nothing_is_a_failure(model_server, reply):
    model_server.reply = lambda body: dict(reply) if isinstance(reply, dict) else reply

    with pytest.raises(CallFailed, match="empty"):
        ask(model_server.url)


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": [5]}, {"choices": [{}, {}]}])
def test_an_answer_of_another_shape_is_a_failure(model_server, body):
    model_server.reply = lambda request: (200, body)

    with pytest.raises(CallFailed, match="no chat completion"):
        ask(model_server.url)


def test_an_answer_that_was_cut_counts_only_where_it_may_be(model_server):
    model_server.reply = lambda body: {"content": "a", "finish_reason": "length"}

    with pytest.raises(CallFailed, match="did not end within 77 tokens"):
        ask(model_server.url, max_tokens=77)

    assert ask(model_server.url, may_be_cut=True).text == "a"


def test_a_proxy_is_never_asked(model_server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    assert ask(model_server.url).text == "hi"


def test_failures_are_logged_up_to_a_bearable_number(model_server):
    model_server.reply = lambda body: (400, {"error": "no"})
    lines = []

    async def run():
        async with ServerClient(model_server.url, key=None, model=None, log=lines.append) as client:
            for _ in range(30):
                with pytest.raises(CallFailed):
                    await client.ask(user("hi"))
        return client.failed

    assert asyncio.run(run()) == 30
    assert len(lines) == 21
    assert lines[-1] == "further calls that fail are only counted"


def test_half_a_character_is_asked_as_a_question_mark(model_server):
    tools = [{"type": "function", "function": {"name": "f", "description": "\ud83d"}}]

    ask(model_server.url, tools=tools)

    assert model_server.requests[0]["tools"][0]["function"]["description"] == "?"
    assert model_server.headers[0]["content-type"] == "application/json"
