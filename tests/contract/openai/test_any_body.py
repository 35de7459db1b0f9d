"""Whatever a client sends is answered, or refused as its own fault; never a fault of ours."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
SHARED = {
    "model": "any",
    "stream": True,
    "stream_options": {"include_usage": True},
    "max_tokens": 3,
    "max_completion_tokens": 3,
    "n": 1,
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 3,
    "min_p": 0.1,
    "xtc_probability": 0.5,
    "xtc_threshold": 0.1,
    "logit_bias": {"5": 1},
    "repetition_penalty": 1.1,
    "repetition_context_size": 5,
    "presence_penalty": 0.5,
    "presence_context_size": 5,
    "frequency_penalty": 0.5,
    "frequency_context_size": 5,
    "logprobs": True,
    "top_logprobs": 3,
    "stop": ["###"],
    "seed": 7,
    "adapter": "none",
    "hlg": {"enabled": False},
    "response_format": {"type": "text"},
    "guided_grammar": None,
    "guided_regex": None,
    "guided_choice": None,
    "structured_outputs": None,
}
VALID = {
    "/v1/chat/completions": {
        **SHARED,
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "hi"}], "name": "ann"},
            {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": []},
            {"role": "tool", "content": "4", "tool_call_id": "call_1"},
        ],
        "tools": [TOOL],
        "tool_choice": "auto",
        "reasoning_effort": "low",
        "chat_template_kwargs": {"enable_thinking": True},
    },
    "/v1/completions": {**SHARED, "prompt": "Once"},
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**63, 2**64, 10**400, -(10**400)])
    | st.floats()  # NaN and the infinities among them
    | st.text(max_size=20)
    | st.text(st.characters(categories=["Cs"]), max_size=3)
    | st.sampled_from(["", "none", "auto", "user", "text", "function", "1", "-1"])
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
several = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

pytestmark = pytest.mark.parametrize("path", VALID)


@pytest.fixture
def service(make_service, serve):
    runner = ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN])
    service = make_service(runner=runner, max_context=10_000)
    serve(service)
    return service


def places(value, here=()):
    """Every place in a JSON value, as a path of keys."""
    yield here
    children = value.items() if isinstance(value, dict) else ()
    children = enumerate(value) if isinstance(value, list) else children
    for key, child in children:
        yield from places(child, (*here, key))


def with_value(value, place, new):
    """A copy of a JSON value with something else at one place."""
    if not place:
        return new
    copy = value.copy()
    copy[place[0]] = with_value(value[place[0]], place[1:], new)
    return copy


async def check(client, path, raw):
    response = await client.generic("POST", path, raw, content_type="application/json")
    assert response.status_code in (200, 400), raw
    if response.streaming:
        content = b"".join([part async for part in response.streaming_content])
        assert content.endswith(b"data: [DONE]\n\n"), raw
        return
    answer = json.loads(response.content)
    if response.status_code == 400:
        assert set(answer["error"]) == {"message", "type", "param", "code"}
        assert answer["error"]["message"]


async def test_a_valid_body_is_answered(service, async_client, path):
    for stream in (False, True):
        raw = json.dumps({**VALID[path], "stream": stream}).encode()
        response = await async_client.generic("POST", path, raw, content_type="application/json")
        assert response.status_code == 200, response.content
        await check(async_client, path, raw)


@several
@given(data=st.data())
async def test_a_body_with_wrong_values(service, async_client, path, data):
    body = VALID[path]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(body))))
        body = with_value(body, place, data.draw(JUNK))

    await check(async_client, path, json.dumps(body).encode())


@several
@given(data=st.data())
async def test_a_body_with_wrong_bytes(service, async_client, path, data):
    raw = json.dumps(VALID[path]).encode()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 8)))

    await check(async_client, path, raw[:start] + data.draw(st.binary(max_size=8)) + raw[end:])


@several
@given(raw=st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
async def test_a_body_of_any_bytes(service, async_client, path, raw):
    await check(async_client, path, raw)
