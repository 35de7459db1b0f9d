"""Tool calls and reasoning over the chat route, from a scripted model's text."""

import json

import pytest

PATH = "/v1/chat/completions"
WEATHER = {
    "type": "function",
    "function": {
        "name": "w",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
OSLO = '<tool_call>\n{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>'
LIMA = OSLO.replace("Oslo", "Lima")


@pytest.fixture
def post(make_service, serve, async_client):
    """Call with the model's text and fields of the body; returns Django's response."""

    async def send(text, **fields):
        serve(make_service(text))
        body = {"messages": [{"role": "user", "content": "hi"}], **fields}
        return await async_client.post(PATH, body, content_type="application/json")

    return send


async def choice_of(response):
    assert response.status_code == 200, response.content
    return response.json()["choices"][0]


async def chunks_of(response):
    text = b"".join([part async for part in response.streaming_content]).decode()
    lines = [line[6:] for line in text.split("\n") if line.startswith("data: {")]
    return [json.loads(line)["choices"][0] for line in lines]


async def test_calls_in_a_stream_have_an_index_an_id_and_a_name_each(post):
    """Public case st-01."""
    choices = await chunks_of(await post(f"{OSLO}\n{LIMA}", tools=[WEATHER], stream=True))

    deltas = [d for choice in choices for d in choice["delta"].get("tool_calls", [])]
    assert [delta["index"] for delta in deltas] == [0, 1]
    assert [delta["function"]["name"] for delta in deltas] == ["w", "w"]
    assert [json.loads(d["function"]["arguments"])["city"] for d in deltas] == ["Oslo", "Lima"]
    assert {delta["type"] for delta in deltas} == {"function"}
    assert len({delta["id"] for delta in deltas}) == 2
    assert choices[-1]["finish_reason"] == "tool_calls"
    assert not any(choice["delta"].get("content") for choice in choices)


async def test_text_before_a_call_comes_first_and_stays(post):
    choice = await choice_of(await post(f"Let me see.{OSLO}", tools=[WEATHER]))

    assert choice["message"]["content"] == "Let me see."
    assert len(choice["message"]["tool_calls"]) == 1


@pytest.mark.parametrize(
    ("fields", "calls", "reason"),
    [
        ({"tools": [WEATHER], "tool_choice": "none"}, 0, "stop"),
        ({"tools": [WEATHER], "tool_choice": "auto"}, 1, "tool_calls"),
        (
            {"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "w"}}},
            1,
            "tool_calls",
        ),
        ({}, 0, "stop"),
    ],
)
async def test_the_choice_decides_whether_calls_are_read(post, fields, calls, reason):
    """Public case pa-08."""
    choice = await choice_of(await post(OSLO, **fields))

    assert len(choice["message"].get("tool_calls", [])) == calls
    assert choice["finish_reason"] == reason


async def test_a_choice_that_means_nothing_is_refused(post):
    """Public case pa-08, variant 4."""
    assert (await post("hi", tool_choice="bogus")).status_code == 400


async def test_reasoning_is_apart_from_the_content(post):
    text = "<think>\nhm\n</think>\n\nHello"

    choice = await choice_of(await post(text))
    chunks = await chunks_of(await post(text, stream=True))

    assert choice["message"] == {"role": "assistant", "content": "Hello", "reasoning": "hm"}
    assert "".join(c["delta"].get("reasoning", "") for c in chunks) == "hm"
    assert "".join(c["delta"].get("content") or "" for c in chunks) == "Hello"


async def test_a_call_that_the_limit_cut_off_ends_with_length(post):
    choice = await choice_of(await post(OSLO, tools=[WEATHER], max_tokens=len(OSLO) - 14))

    assert choice["finish_reason"] == "length"
    assert "<tool_call>" not in (choice["message"]["content"] or "")
