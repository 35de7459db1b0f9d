"""Requests to Anthropic's routes: what is read, what is refused, in which words."""

import asyncio
import json

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN

COUNT = "/v1/messages/count_tokens"
TOOL = {
    "name": "w",
    "description": "weather",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
ROUND = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "w", "input": {"city": "Oslo"}}],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "5"}],
    },
]


@pytest.fixture
def service(make_service, serve):
    service = make_service("ok")
    serve(service)
    return service


def body(content="x", **fields):
    return {"max_tokens": 4, "messages": [{"role": "user", "content": content}], **fields}


def text_of(reply):
    assert reply.status == 200, reply.body
    [block] = reply.body["content"]
    return block["text"]


def error_of(reply, status=400):
    assert reply.status == status, reply.body
    assert set(reply.body) == {"type", "error", "request_id"}
    assert reply.body["type"] == "error"
    return reply.body["error"]["type"], reply.body["error"]["message"]


@pytest.mark.parametrize("limit", [{}, {"max_tokens": None}])
async def test_without_a_limit_the_answer_ends_where_the_model_does(service, post, limit):
    reply = await post({"messages": ROUND, **limit})

    assert (text_of(reply), reply.body["stop_reason"]) == ("ok", "end_turn")


@pytest.mark.parametrize("model", ["claude-haiku-4-5-20251001", "../../x", 7, None])
async def test_whatever_model_is_asked_the_served_one_answers(service, post, model):
    """Public case pa-07."""
    reply = await post(body(model=model))

    assert (text_of(reply), reply.body["model"]) == ("ok", "scripted")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-api-key": "sk-any"},
        {"Authorization": "Bearer any"},
        {"Authorization": "Bearer a", "x-api-key": "b"},
        {"x-api-key": ""},
        {"anthropic-version": "2023-06-01", "anthropic-beta": "a-2025-01-01,b-2025-02-02"},
    ],
)
async def test_any_key_and_any_beta_will_do(service, post, headers):
    """Public case an-11."""
    assert text_of(await post(body(), "/v1/messages?beta=true", **headers)) == "ok"


async def test_the_switches_of_the_day_are_no_error(service, post):
    """Public case an-09: an unknown type of thinking is ignored."""
    switches = {
        "thinking": {"type": "adaptive"},
        "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
        "output_config": {"effort": "high"},
        "metadata": {"user_id": '{"session": 1}'},
    }

    assert text_of(await post(body(**switches))) == "ok"


@pytest.mark.parametrize("text", ["\ud83d", "emoji \udcf0", "paired \ud83d\ude00"])
async def test_a_lone_surrogate_is_answered(service, post, text):
    """Public case pr-09."""
    raw = json.dumps(body(text, system=text)).encode()
    assert rb"\ud" in raw

    assert text_of(await post(raw)) == "ok"


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b'{"messages": NaN}'])
@pytest.mark.parametrize("path", ["/v1/messages", COUNT])
async def test_a_malformed_body_is_an_error_of_the_callers(service, post, path, raw):
    assert error_of(await post(raw, path)) == ("invalid_request_error", "invalid JSON body")


@pytest.mark.parametrize("path", ["/v1/messages", COUNT])
async def test_messages_are_required(service, post, path):
    assert error_of(await post({"max_tokens": 1}, path)) == (
        "invalid_request_error",
        "messages required",
    )


@pytest.mark.parametrize("path", ["/v1/messages", COUNT])
@pytest.mark.parametrize("nested", [False, True])
async def test_an_image_is_refused_by_a_model_without_eyes(service, post, path, nested):
    """Public case pa-11, variant 2."""
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    image = {"type": "image", "source": source}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [image]}

    reply = await post(body([result if nested else image]), path)

    assert error_of(reply) == ("invalid_request_error", "model has no vision sidecar")


@pytest.mark.parametrize("kind", ["input_audio", "audio", "audio_url", "document", "hologram"])
async def test_other_media_are_refused_by_name(service, post, kind):
    error_type, message = error_of(await post(body([{"type": kind}])))

    assert error_type == "invalid_request_error"
    assert f"'{kind}'" in message
    assert ("/v1/chat/completions" in message) == ("audio" in kind)


async def test_a_count_is_what_the_request_itself_reports(service, post):
    """Public case an-06."""
    asked = {"model": "m", "system": "You are terse.", "tools": [TOOL], "messages": ROUND}

    counted = await post(asked, f"{COUNT}?beta=true")

    assert service.stats().submitted == 0
    real = await post({**asked, "max_tokens": 1})
    usage = real.body["usage"]
    assert counted.status == 200
    assert counted.body == {
        "input_tokens": usage["input_tokens"] + usage.get("cache_read_input_tokens", 0)
    }


async def test_a_prompt_too_long_for_an_answer_is_counted(service, post):
    asked = body("x" * 2000)

    assert error_of(await post(asked))[1].startswith("prompt is too long: ")
    assert (await post(asked, COUNT)).body["input_tokens"] > 2000


@pytest.mark.parametrize("path", ["/v1/messages", COUNT])
async def test_without_a_model_it_says_so(serve, post, path):
    serve(None)

    reply = await post(body(), path)

    assert error_of(reply, 503)[0] == "overloaded_error"
    assert reply.headers["Retry-After"] == "1"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_full_line_is_429_and_says_when_to_come_back(
    make_service, serve, gate, post, stream
):
    runner = ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN], on_step=gate.hold)
    service = make_service(runner=runner, max_running=1, max_waiting=1)
    serve(service)
    waiting = [asyncio.create_task(post(body())) for _ in range(2)]
    async with asyncio.timeout(10):
        while service._engine.num_under_way < 2:
            await asyncio.sleep(0.01)

    refused = await post(body(stream=stream))

    assert error_of(refused, 429)[0] == "rate_limit_error"
    assert refused.headers["Retry-After"] == "1"
    gate.open()
    assert [reply.status for reply in await asyncio.gather(*waiting)] == [200, 200]


def failing_service(make_service):
    def fail(plan):
        raise MemoryError("no memory left")

    return make_service(runner=ScriptedRunner(lambda sequence: b"x", on_step=fail))


async def test_a_failure_before_the_first_byte_has_a_status(make_service, serve, post):
    serve(failing_service(make_service))

    error_type, message = error_of(await post(body()), 500)

    assert error_type == "api_error"
    assert "no memory left" in message


async def test_a_failure_in_a_stream_is_its_last_event(make_service, serve, post):
    serve(failing_service(make_service))

    reply = await post(body(stream=True))

    assert reply.status == 200
    assert reply.kinds == ["message_start", "error"]
    assert reply.events[-1]["error"]["message"].startswith("server error: ")


def test_a_path_below_that_nothing_answers_is_the_contracts_404(client):
    response = client.post("/v1/messages/batches", {}, content_type="application/json")

    assert response.status_code == 404
    assert json.loads(response.content) == {"error": {"message": "not found"}}
