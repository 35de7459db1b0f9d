"""When there is no room, or no engine: with a runner that can be held, or over HTTP."""

import asyncio
import json
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN

PATH = "/v1/chat/completions"
BODY = {"messages": [{"role": "user", "content": "hi"}]}


def post(client, **fields):
    return client.post(PATH, {**BODY, **fields}, content_type="application/json")


def error_of(response, status):
    assert response.status_code == status
    return response.json()["error"]


async def body_of(response):
    return b"".join([part async for part in response.streaming_content]).decode()


async def until_submitted(service, count):
    async with asyncio.timeout(10):
        while service._engine.num_under_way < count:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("stream", [False, True])
async def test_a_full_line_is_429_and_says_when_to_come_back(
    make_service, serve, gate, async_client, stream
):
    runner = ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN], on_step=gate.hold)
    service = make_service(runner=runner, max_running=1, max_waiting=1)
    serve(service)
    waiting = [asyncio.create_task(post(async_client)) for _ in range(2)]
    await until_submitted(service, 2)

    refused = await post(async_client, stream=stream)

    error = error_of(refused, 429)
    assert (error["type"], error["code"]) == ("resource_admission", "queue_full")
    assert refused["Retry-After"] == "1"
    gate.open()
    assert [response.status_code for response in await asyncio.gather(*waiting)] == [200, 200]
    assert (await post(async_client)).status_code == 200


RUNNING, WAITING = 8, 64  # at most, by default


@pytest.mark.slow
@pytest.mark.parametrize("path", [PATH, "/v1/completions"])
def test_the_sixty_fifth_that_waits_is_refused_over_http(moody, moody_server, path):
    drip = {"messages": [{"role": "user", "content": "drip"}], "prompt": "drip", "stream": True}
    address = urlsplit(moody_server.url)
    with ExitStack() as stack:
        for _ in range(RUNNING + WAITING):
            connection = HTTPConnection(address.hostname, address.port, timeout=20)
            stack.enter_context(closing(connection))
            connection.request("POST", PATH, json.dumps(drip), {"Content-Type": "application/json"})
            assert stack.enter_context(connection.getresponse()).status == 200

        refused = moody.post(path, json=drip)

        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        error = refused.json()["error"]
        assert (error["type"], error["code"]) == ("resource_admission", "queue_full")
        assert "64" in error["message"]
    until_answered(moody)


def until_answered(client):
    """Wait until those who left have left, for the tests that follow."""
    for _ in range(100):
        if client.post("/v1/completions", json={"prompt": "hi"}).status_code == 200:
            return
    raise AssertionError("the line did not clear")


async def test_no_service_is_503(serve, async_client):
    serve(None)

    for response in (await post(async_client), await async_client.get("/v1/models")):
        assert error_of(response, 503)["type"] == "engine_unavailable"
    health = await async_client.get("/health")
    assert (health.status_code, health.json()) == (503, {"status": "engine_unavailable"})


async def test_a_dead_engine_is_503_and_health_says_so(make_service, serve, async_client):
    service = make_service()
    serve(service)
    assert (await async_client.get("/health")).status_code == 200

    service._engine.stop()

    response = await post(async_client)
    assert error_of(response, 503)["type"] == "engine_unavailable"
    assert response["Retry-After"] == "1"
    assert (await async_client.get("/health")).status_code == 503


def broken_runner():
    def fail(plan):
        if plan.decodes and plan.decodes[0].output:
            raise MemoryError("no memory left")

    return ScriptedRunner(lambda sequence: b"x", on_step=fail)


async def test_a_failed_generation_is_500(make_service, serve, async_client, caplog):
    serve(make_service(runner=broken_runner()))

    error = error_of(await post(async_client), 500)

    assert (error["type"], error["code"]) == ("api_error", "server_error")
    assert "no memory left" in error["message"]


async def test_a_failed_stream_ends_with_an_error_and_no_done(
    make_service, serve, async_client, caplog
):
    serve(make_service(runner=broken_runner()))

    response = await post(async_client, stream=True)

    assert response.status_code == 200
    events = (await body_of(response)).rstrip().split("\n\n")
    assert json.loads(events[-1].removeprefix("data: "))["error"]["code"] == "server_error"
    assert "data: [DONE]" not in events
