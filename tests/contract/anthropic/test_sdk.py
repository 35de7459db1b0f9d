"""Anthropic's own client, as its users call it."""

import asyncio

import anthropic
import pytest

MESSAGES = [{"role": "user", "content": "hi"}]
ANSWER = "This is the scripted model. You said: hi"
ASK = {"model": "any", "max_tokens": 100, "messages": MESSAGES}

pytestmark = pytest.mark.slow


@pytest.fixture
def client(server):
    with anthropic.Anthropic(base_url=server, api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture
async def async_client(server):
    async with anthropic.AsyncAnthropic(
        base_url=server, auth_token="none", max_retries=0
    ) as client:
        yield client


def test_a_message(client):
    message = client.messages.create(**ASK)

    [block] = message.content
    assert (block.type, block.text) == ("text", ANSWER)
    assert (message.role, message.type, message.model) == ("assistant", "message", "scripted")
    assert (message.stop_reason, message.stop_sequence) == ("end_turn", None)
    assert message.id.startswith("msg_")
    assert message._request_id == message.id.replace("msg_", "req_")
    assert message.usage.output_tokens == len(ANSWER) + 1
    assert message.usage.cache_read_input_tokens is None


def test_a_stream(client):
    with client.messages.create(**ASK, stream=True) as stream:
        events = list(stream)

    assert [event.type for event in events][:2] == ["message_start", "content_block_start"]
    assert [event.type for event in events][-3:] == [
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    deltas = [event.delta.text for event in events if event.type == "content_block_delta"]
    assert "".join(deltas) == ANSWER


def test_the_streaming_helper(client):
    with client.messages.stream(**ASK) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()

    assert text == message.content[0].text == ANSWER
    assert message.stop_reason == "end_turn"
    assert message.usage.output_tokens == len(ANSWER) + 1
    assert message.usage.input_tokens > 0


def test_the_beta_client(client):
    message = client.beta.messages.create(**ASK, betas=["interleaved-thinking-2025-05-14"])

    assert message.content[0].text == ANSWER


async def test_async_messages_side_by_side(async_client):
    messages = await asyncio.gather(
        *(
            async_client.messages.create(
                **{**ASK, "messages": [{"role": "user", "content": f"number {i}"}]}
            )
            for i in range(8)
        )
    )

    assert [message.content[0].text[-8:] for message in messages] == [
        f"number {i}" for i in range(8)
    ]


async def test_an_async_stream(async_client):
    async with await async_client.messages.create(**ASK, stream=True) as stream:
        deltas = [event.delta.text async for event in stream if event.type == "content_block_delta"]

    assert "".join(deltas) == ANSWER


async def test_the_async_streaming_helper(async_client):
    async with async_client.messages.stream(**ASK) as stream:
        message = await stream.get_final_message()

    assert message.content[0].text == ANSWER


def test_every_parameter_we_take(client):
    message = client.messages.create(
        model="any",
        max_tokens=4,
        system=[{"type": "text", "text": "be kind", "cache_control": {"type": "ephemeral"}}],
        messages=[
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "again"},
        ],
        stop_sequences=["never"],
        thinking={"type": "disabled"},
        metadata={"user_id": "ann"},
        extra_body={
            "temperature": 0,
            "top_p": 1,
            "top_k": 3,
            "min_p": 0.1,
            "repetition_penalty": 1.1,
            "logit_bias": "ignored",
        },
    )

    assert message.content[0].text == "This"
    assert message.stop_reason == "max_tokens"


def test_a_stop_sequence_ends_the_answer_and_is_not_in_it(client):
    message = client.messages.create(**ASK, stop_sequences=[" model."])

    assert message.content[0].text == "This is the scripted"


def test_a_count(client):
    count = client.messages.count_tokens(model="any", messages=MESSAGES, system="be kind")
    message = client.messages.create(**ASK, system="be kind")

    assert count.input_tokens == message.usage.input_tokens


def test_a_bad_request_says_what_is_wrong(client):
    with pytest.raises(anthropic.BadRequestError) as raised:
        client.messages.create(**ASK, extra_body={"top_p": 7})

    assert raised.value.type == "invalid_request_error"
    assert raised.value.body["error"]["message"] == "top_p must be at most 1"
    assert raised.value.request_id.startswith("req_")


def test_a_bad_request_for_a_stream_is_an_error_before_the_stream(client):
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(**{**ASK, "messages": []}, stream=True)


def test_a_prompt_too_long_tells_the_limit(client):
    messages = [{"role": "user", "content": "x" * 9000}]

    with pytest.raises(anthropic.BadRequestError) as raised:
        client.messages.create(**{**ASK, "messages": messages})

    message = raised.value.body["error"]["message"]
    assert message.startswith("prompt is too long: 9018 tokens > 8191 maximum; ")
