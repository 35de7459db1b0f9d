"""A gpt-oss model's channels and calls over the chat route, from scripted token ids."""

import json

import pytest

from inference.engine.scripted import ScriptedRunner
from tests.plugins.harmony import CALL, RETURN, HarmonyTokenizer

PATH = "/v1/chat/completions"
THOUGHT = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
WEATHER = {"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}}


@pytest.fixture
def post(make_service, serve, async_client):
    """Call with the model's text, its last token and fields of the body."""

    async def send(text, end, **fields):
        tokenizer = HarmonyTokenizer()
        runner = ScriptedRunner(lambda sequence: [*tokenizer.encode(text), end])
        serve(make_service(runner=runner, tokenizer=tokenizer))
        body = {"messages": [{"role": "user", "content": "hi"}], **fields}
        response = await async_client.post(PATH, body, content_type="application/json")
        assert response.status_code == 200, response.content
        return response

    return send


async def test_reasoning_and_answer_are_apart(post):
    response = await post(f"{THOUGHT}<|channel|>final<|message|>Hello", RETURN)

    [choice] = response.json()["choices"]
    assert choice["message"] == {"role": "assistant", "content": "Hello", "reasoning": "hm"}
    assert choice["finish_reason"] == "stop"


async def test_a_call_in_a_stream_ends_it(post):
    call = '<|channel|>commentary to=functions.w <|constrain|>json<|message|>{"city": "Oslo"}'

    response = await post(THOUGHT + call, CALL, tools=[WEATHER], stream=True)

    text = b"".join([part async for part in response.streaming_content]).decode()
    lines = [line[6:] for line in text.split("\n") if line.startswith("data: {")]
    choices = [json.loads(line)["choices"][0] for line in lines]
    [called] = [d for choice in choices for d in choice["delta"].get("tool_calls", [])]
    assert called["function"]["name"] == "w"
    assert json.loads(called["function"]["arguments"]) == {"city": "Oslo"}
    assert "".join(choice["delta"].get("reasoning", "") for choice in choices) == "hm"
    assert choices[-1]["finish_reason"] == "tool_calls"
    assert "<|" not in text


async def test_a_schema_holds_the_answer_and_leaves_the_thoughts_free(post):
    schema = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": [7]}}}
    text = "hm<|end|><|start|>assistant<|channel|>final<|message|>7"

    response = await post(text, RETURN, response_format=schema)

    message = response.json()["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "7", "reasoning": "hm"}
