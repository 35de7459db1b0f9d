"""Whatever a client sends is answered, or refused as its own fault; never a fault of ours."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": False}
VALID = {
    "model": "any",
    "instructions": "be kind",
    "previous_response_id": None,
    "input": [
        {"role": "developer", "content": "A"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "yes"}]},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "custom_tool_call", "call_id": "c2", "name": "c", "input": "x"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": []},
        {"type": "additional_tools", "role": "developer", "tools": [FUNCTION]},
        {"type": "web_search_call", "id": "ws_1"},
    ],
    "tools": [
        FUNCTION,
        {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark"}},
        {"type": "namespace", "name": "n", "tools": [FUNCTION]},
        {"type": "web_search"},
    ],
    "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [FUNCTION]},
    "text": {"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}}},
    "reasoning": {"effort": "low", "summary": "auto"},
    "metadata": {"a": "b"},
    "max_output_tokens": 3,
    "max_tokens": 3,
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 3,
    "logit_bias": {"5": 1},
    "stream": True,
    "store": True,
    "parallel_tool_calls": True,
    "include": ["reasoning.encrypted_content"],
    "chat_template_kwargs": {"enable_thinking": True},
    "user": "u",
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, -1, 2**63, 10**400, -(10**400)])
    | st.floats()  # NaN and the infinities among them
    | st.text(max_size=20)
    | st.text(st.characters(categories=["Cs"]), max_size=3)
    | st.sampled_from(["", "none", "auto", "user", "message", "function", "custom", "namespace"])
    | st.sampled_from(["item_reference", "function_call", "reasoning", "json_object"])
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
ENDS = ("response.completed", "response.incomplete")
several = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


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


@pytest.fixture
def check(play, post):
    play()

    async def check_body(raw):
        reply = await post(raw)
        assert reply.status in (200, 400, 404), raw
        if reply.events:
            assert reply.events[-1]["type"] in ENDS, raw
        elif reply.status == 200:
            assert reply.body["status"] in ("completed", "incomplete")
        else:
            assert reply.body["error"].keys() == {"message", "type", "param", "code"}
            assert reply.body["error"]["message"]
        return reply

    return check_body


@pytest.mark.parametrize("stream", [False, True])
async def test_a_valid_body_is_answered(check, stream):
    reply = await check(json.dumps({**VALID, "stream": stream}).encode())

    assert reply.status == 200, reply.body


@several
@given(data=st.data())
async def test_a_body_with_wrong_values(check, data):
    body = VALID
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(body))))
        body = with_value(body, place, data.draw(JUNK))

    await check(json.dumps(body).encode())


@several
@given(data=st.data())
async def test_a_body_with_wrong_bytes(check, data):
    raw = json.dumps(VALID).encode()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 8)))

    await check(raw[:start] + data.draw(st.binary(max_size=8)) + raw[end:])


@several
@given(raw=st.binary(max_size=60) | st.text(max_size=30).map(str.encode))
async def test_a_body_of_any_bytes(check, raw):
    await check(raw)


@pytest.mark.parametrize("depth", [90, 110, 900, 990, 2000])
@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize("place", ['"metadata"', '"tools"', '"text"', '"input"'])
async def test_a_body_nested_deep(check, place, stream, depth):
    nested = '{"a":' * depth + "1" + "}" * depth
    value = nested if place in ('"metadata"', '"text"') else f"[{nested}]"

    await check(f'{{"input":"hi","stream":{stream},{place}:{value}}}'.encode())


@pytest.mark.parametrize("stream", [False, True])
async def test_text_that_no_utf_8_can_spell(check, stream):
    odd = "\ud800"
    body = {
        "input": [{"role": "user", "content": odd}],
        "instructions": odd,
        "metadata": {odd: odd},
        "tools": [{**FUNCTION, "name": odd, "description": odd}],
        "stream": stream,
    }

    assert (await check(json.dumps(body).encode())).status == 200
