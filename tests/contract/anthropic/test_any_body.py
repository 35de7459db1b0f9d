"""Whatever a client sends is answered, or refused as its own fault; never a fault of ours."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

COUNT = "/v1/messages/count_tokens"
VALID = {
    "model": "any",
    "stream": True,
    "max_tokens": 3,
    "system": [{"type": "text", "text": "be kind", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "REMINDER"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": ""},
                {"type": "redacted_thinking", "data": "AAAA"},
                {"type": "text", "text": "let me see"},
                {"type": "tool_use", "id": "toolu_1", "name": "w", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": [{"type": "text", "text": "5"}],
                    "is_error": False,
                },
                {"type": "text", "text": "well?"},
            ],
        },
    ],
    "tools": [
        {"name": "w", "description": "weather", "input_schema": {"type": "object"}},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 8},
    ],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "stop_sequences": ["###"],
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "output_config": {"effort": "high"},
    "context_management": {"edits": []},
    "metadata": {"user_id": "x"},
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 3,
    "min_p": 0.1,
    "xtc_probability": 0.5,
    "xtc_threshold": 0.1,
    "repetition_penalty": 1.1,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "frequency_context_size": 5,
    "seed": 7,
    "adapter": "none",
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**63, 10**400])
    | st.floats()  # NaN and the infinities among them
    | st.text(max_size=20)
    | st.text(st.characters(categories=["Cs"]), max_size=3)
    | st.sampled_from(["", "none", "auto", "any", "tool", "user", "text", "image", "tool_use"])
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8) | st.just("type"), inner, max_size=3)
    ),
    max_leaves=6,
)
several = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

pytestmark = pytest.mark.parametrize("path", ["/v1/messages", COUNT])


@pytest.fixture(autouse=True)
def service(make_service, serve):
    serve(make_service("ok", max_context=10_000))


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


async def check(post, path, raw):
    reply = await post(raw, path)
    assert reply.status in (200, 400), raw
    if reply.status == 400:
        assert set(reply.body) == {"type", "error", "request_id"}
        assert reply.body["error"]["type"] == "invalid_request_error"
        assert reply.body["error"]["message"]
    elif reply.events is not None:
        assert reply.events[-1] == {"type": "message_stop"}, raw
    return reply


async def test_a_valid_body_is_answered(post, path):
    for stream in (False, True):
        raw = json.dumps({**VALID, "stream": stream}).encode()
        assert (await check(post, path, raw)).status == 200


@several
@given(data=st.data())
async def test_a_body_with_wrong_values(post, path, data):
    body = VALID
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(body))))
        body = with_value(body, place, data.draw(JUNK))

    await check(post, path, json.dumps(body).encode())


@several
@given(data=st.data())
async def test_a_body_with_wrong_bytes(post, path, data):
    raw = json.dumps(VALID).encode()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 8)))

    await check(post, path, raw[:start] + data.draw(st.binary(max_size=8)) + raw[end:])


@several
@given(raw=st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
async def test_a_body_of_any_bytes(post, path, raw):
    await check(post, path, raw)
