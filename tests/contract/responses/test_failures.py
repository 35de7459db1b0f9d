"""When there is no room, no engine, or no end."""

import asyncio

import pytest

from inference.api import sse
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN

BODY = {"input": "hi"}
STREAM = {**BODY, "stream": True}


def error_of(reply, status):
    assert reply.status == status
    assert reply.body["error"].keys() == {"message", "type", "param", "code"}
    return reply.body["error"]


async def until_submitted(service, count):
    async with asyncio.timeout(10):
        while service._engine.num_under_way < count:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("body", [BODY, STREAM])
async def test_a_full_line_is_429_and_says_when_to_come_back(make_service, serve, gate, post, body):
    runner = ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN], on_step=gate.hold)
    service = make_service(runner=runner, max_running=1, max_waiting=1)
    serve(service)
    waiting = [asyncio.create_task(post(BODY)) for _ in range(2)]
    await until_submitted(service, 2)

    refused = await post(body)

    error = error_of(refused, 429)
    assert (error["type"], error["code"]) == ("server_error", "rate_limit_exceeded")
    assert refused.headers["Retry-After"] == "1"
    gate.open()
    assert [reply.status for reply in await asyncio.gather(*waiting)] == [200, 200]


async def test_no_service_is_503(serve, post):
    serve(None)

    reply = await post(BODY)

    assert error_of(reply, 503)["type"] == "server_error"
    assert reply.headers["Retry-After"] == "1"


@pytest.mark.parametrize("body", [BODY, STREAM])
async def test_a_prompt_too_long_has_the_code_that_agents_know(make_service, serve, post, body):
    serve(make_service(max_context=8))

    error = error_of(await post(body), 400)

    assert (error["type"], error["code"]) == ("invalid_request_error", "context_length_exceeded")
    assert error["message"].startswith("prompt is too long: 20 tokens > 7 maximum")


def broken_runner():
    def fail(plan):
        if plan.decodes and plan.decodes[0].output:
            raise MemoryError("no memory left")

    return ScriptedRunner(lambda sequence: b"x", on_step=fail)


async def test_a_failed_generation_is_500(make_service, serve, post, store, caplog):
    serve(make_service(runner=broken_runner()))

    error = error_of(await post(BODY), 500)

    assert (error["type"], error["code"]) == ("server_error", None)
    assert "no memory left" in error["message"]
    assert store.stats()["entries"] == 0


async def test_a_failed_stream_ends_with_the_failure(make_service, serve, post, store, caplog):
    serve(make_service(runner=broken_runner()))

    reply = await post(STREAM)

    assert reply.status == 200
    kinds = [event["type"] for event in reply.events]
    assert kinds[-2:] == ["error", "response.failed"]
    assert "response.completed" not in kinds
    failed = reply.events[-1]["response"]
    assert failed["status"] == "failed"
    assert failed["error"]["code"] == "server_error"
    assert failed["error"]["message"].startswith("server error: generation failed")
    assert store.stats()["entries"] == 0


async def test_a_stream_that_breaks_ends_with_a_failure(play, post, monkeypatch, caplog):
    play()
    monkeypatch.setattr("inference.generation.Generation._advance", None)

    reply = await post(STREAM)

    assert [event["type"] for event in reply.events][-2:] == ["error", "response.failed"]
    assert "the stream broke" in reply.events[-1]["response"]["error"]["message"]


async def test_a_client_that_leaves_takes_its_request_along(make_service, serve, async_client):
    runner = ScriptedRunner(lambda sequence: b"x", step_seconds=0.001)
    service = make_service(runner=runner)
    serve(service)
    response = await async_client.post("/v1/responses", STREAM, content_type="application/json")
    parts = aiter(response.streaming_content)
    await anext(parts)

    await parts.aclose()
    response.close()

    async with asyncio.timeout(10):
        while service.stats().ended.get("abort") != 1:
            await asyncio.sleep(0.01)


async def test_silence_is_broken_by_events(make_service, serve, gate, post, monkeypatch):
    """Public case st-13, for this protocol: comments are no sign of life to Codex."""
    monkeypatch.setattr(sse, "KEEP_ALIVE_SECONDS", 0.02)
    runner = ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN], on_step=gate.hold)
    serve(make_service(runner=runner))
    task = asyncio.create_task(post(STREAM))
    await asyncio.sleep(0.2)
    gate.open()

    events = (await task).events

    kinds = [event["type"] for event in events]
    first_item = kinds.index("response.output_item.added")
    assert kinds[0] == "response.created"
    assert set(kinds[1:first_item]) == {"response.in_progress"}
    assert first_item >= 4
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert kinds[-1] == "response.completed"
