"""The public cases of this protocol, each by its name, over HTTP."""

import pytest

FUNCTION = {
    "type": "function",
    "name": "shell",
    "description": "run",
    "strict": False,
    "parameters": {
        "type": "object",
        "properties": {"cmd": {"type": "string"}},
        "required": ["cmd"],
    },
}
WEATHER = {
    "type": "function",
    "name": "w",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
TWO_CALLS = (
    "<think>hm</think>Hi.\n"
    '<tool_call>\n{"name": "w", "arguments": {"city": "Oslo"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "w", "arguments": {"city": "Lima"}}\n</tool_call>'
)


async def test_tools_of_every_type_are_taken_and_those_that_can_be_called_shown(play, post):
    """Public case re-01."""
    prompts = play()
    tools = [
        FUNCTION,
        {"type": "web_search"},
        {"type": "namespace", "name": "mcp__x__", "tools": [FUNCTION]},
        {
            "type": "custom",
            "name": "apply_patch",
            "format": {"type": "grammar", "syntax": "lark", "definition": "start: /x/"},
        },
        {"type": "image_generation"},
        {"type": "local_shell"},
        {"type": "mcp", "server_label": "s", "server_url": "https://example.com"},
        {"type": "from_the_future"},
    ]

    reply = await post({"model": "m", "input": "hi", "max_output_tokens": 4, "tools": tools})

    assert reply.status == 200
    assert reply.body["tools"] == tools
    for name in ("shell", "mcp__x__shell", "apply_patch"):
        assert f'"name": "{name}"' in prompts[0]
    for left_out in ("web_search", "image_generation", "local_shell", "example.com", "future"):
        assert left_out not in prompts[0]


async def test_thoughts_come_back_without_harm(play, post):
    """Public case re-03."""
    prompts = play()
    reply = await post(
        {
            "model": "m",
            "max_output_tokens": 2,
            "include": ["reasoning.encrypted_content"],
            "reasoning": {"effort": "medium", "summary": "auto"},
            "input": [
                {"role": "user", "content": "x"},
                {
                    "type": "reasoning",
                    "id": "rs_1",
                    "summary": [],
                    "encrypted_content": None,
                    "content": None,
                    "status": None,
                },
                {
                    "type": "reasoning",
                    "id": "rs_2",
                    "summary": [{"type": "summary_text", "text": "t"}],
                    "encrypted_content": "gAAAA-OPAQUE",
                },
                {
                    "type": "function_call",
                    "id": "fc_1",
                    "call_id": "call_1",
                    "name": "shell",
                    "arguments": '{"cmd": "ls"}',
                    "status": "completed",
                },
                {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
            ],
            "tools": [FUNCTION],
        }
    )

    assert reply.status == 200
    assert "OPAQUE" not in prompts[0]
    call, result = prompts[0].index('"name": "shell", "arguments"'), prompts[0].index("<tool>ok")
    assert prompts[0].index("<user>x") < call < result


async def test_all_that_leads_is_one_system_message(play, post):
    """Public case re-05."""
    prompts = play()
    leading = [
        {"role": "developer", "content": "BETA"},
        {"role": "system", "content": [{"type": "input_text", "text": "GAMMA"}]},
        {"role": "user", "content": "hi"},
    ]

    for instructions in ("ALPHA", "", None):
        body = {"instructions": instructions, "input": leading, "max_output_tokens": 2}
        assert (await post(body)).status == 200

    assert prompts[0] == "<system>ALPHA\n\nBETA\n\nGAMMA\n<user>hi\n<assistant>"
    assert prompts[1] == prompts[2] == "<system>BETA\n\nGAMMA\n<user>hi\n<assistant>"


async def test_a_stream_tells_thoughts_text_and_calls_each_as_an_item(play, post):
    """Public case re-06."""
    play(TWO_CALLS)

    events = (await post({"input": "hi", "tools": [WEATHER], "stream": True})).events

    kinds = [event["type"] for event in events]
    assert kinds[:2] == ["response.created", "response.in_progress"]
    assert kinds[-1] == "response.completed"
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    added = [event for event in events if event["type"].endswith("output_item.added")]
    done = [event for event in events if event["type"].endswith("output_item.done")]
    output = events[-1]["response"]["output"]
    assert [item["type"] for item in output] == [
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert [event["output_index"] for event in added] == [0, 1, 2, 3]
    assert [event["output_index"] for event in done] == [0, 1, 2, 3]
    for name in ("id", "call_id"):
        ids = [item.get(name) for item in output]
        assert [event["item"].get(name) for event in added] == ids
        assert [event["item"].get(name) for event in done] == ids
    assert all(item["call_id"] != item["id"] for item in output[2:])
    for index in (2, 3):
        pieces = [
            event["delta"]
            for event in events
            if event["type"] == "response.function_call_arguments.delta"
            and event["output_index"] == index
        ]
        assert "".join(pieces) == output[index]["arguments"]
    assert len({event["response"]["id"] for event in events if "response" in event}) == 1


async def test_a_conversation_goes_on_from_what_is_stored(play, post, async_client):
    """Public case re-07."""
    prompts = play("<think>hm</think>ok")
    first = await post(
        {"input": "My name is Ada.", "instructions": "BE-SHORT", "max_output_tokens": 100}
    )
    second = await post({"input": "Name?", "previous_response_id": first.body["id"]})
    third = await post(
        {"input": "Again?", "previous_response_id": second.body["id"], "instructions": "NEW"}
    )
    sibling = await post({"input": "Other?", "previous_response_id": first.body["id"]})
    unknown = await post({"input": "x", "previous_response_id": "resp_unknown"})

    assert second.body["previous_response_id"] == first.body["id"]
    assert prompts[1] == (
        "<system>BE-SHORT\n<user>My name is Ada.\n<assistant>ok\n<user>Name?\n<assistant>"
    )
    assert third.status == 200
    assert prompts[2] == (
        "<system>NEW\n<user>My name is Ada.\n<assistant>ok\n<user>Name?\n<assistant>ok\n"
        "<user>Again?\n<assistant>"
    )
    assert sibling.status == 200
    assert prompts[3] == prompts[1].replace("Name?", "Other?")
    assert unknown.status == 404
    assert unknown.body["error"].keys() == {"message", "type", "param", "code"}
    stats = (await async_client.get("/stats")).json()["response_store"]
    assert stats["entries"] == 4
    assert 0 < stats["bytes"] <= stats["max_bytes"] == 33_554_432
    assert stats["ttl_ms"] == 3_600_000


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"input": "hi"}, 200),
        ({"input": "hi", "text": {"verbosity": "low"}}, 200),
        (
            {
                "input": [{"role": "user", "content": "hi"}],
                "prompt_cache_key": "k",
                "client_metadata": {"a": "b"},
            },
            200,
        ),
        ({"input": "hi", "store": False, "parallel_tool_calls": True}, 200),
        ({}, 400),
        ({"input": 5}, 400),
    ],
)
async def test_types_are_strict_and_further_keys_are_not(play, post, body, status):
    """Public case re-09."""
    play()

    reply = await post({**body, "max_output_tokens": 2})

    assert reply.status == status
    if status == 400:
        assert reply.body["error"]["type"] == "invalid_request_error"
        assert reply.body["error"]["param"] is None


async def test_whatever_model_is_asked_for_the_served_one_answers(play, post):
    """Public case pa-07."""
    play()

    reply = await post({"model": "gpt-5", "input": "hi", "max_output_tokens": 1})

    assert (reply.status, reply.body["model"]) == (200, "scripted")
