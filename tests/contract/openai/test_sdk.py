"""OpenAI's own client, as its users call it."""

import asyncio

import openai
import pytest

MESSAGES = [{"role": "user", "content": "hi"}]
ANSWER = "This is the scripted model. You said: hi"

pytestmark = pytest.mark.slow


@pytest.fixture
def client(server):
    with openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture
async def async_client(server):
    async with openai.AsyncOpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client


def joined(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def test_a_completion(client):
    completion = client.chat.completions.create(model="any", messages=MESSAGES)

    [choice] = completion.choices
    assert (choice.message.role, choice.message.content) == ("assistant", ANSWER)
    assert choice.finish_reason == "stop"
    assert completion.id.startswith("chatcmpl-")
    assert completion.model == "scripted"
    assert completion.usage.completion_tokens == len(ANSWER) + 1
    assert completion.usage.prompt_tokens_details.cached_tokens == 0


def test_a_stream(client):
    with client.chat.completions.create(model="any", messages=MESSAGES, stream=True) as stream:
        chunks = list(stream)

    assert joined(chunks) == ANSWER
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices[0].finish_reason] == ["stop"]
    assert chunks[-1].usage.total_tokens > 0


def test_a_stream_asked_for_usage(client):
    with client.chat.completions.create(
        model="any", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
    ) as stream:
        usages = [chunk.usage for chunk in stream if chunk.usage is not None]

    assert len(usages) == 1


def test_the_streaming_helper(client):
    with client.chat.completions.stream(model="any", messages=MESSAGES) as stream:
        completion = stream.get_final_completion()

    assert completion.choices[0].message.content == ANSWER


def test_a_text_completion(client):
    completion = client.completions.create(model="any", prompt="hi")

    [choice] = completion.choices
    assert (choice.text, choice.finish_reason) == (ANSWER, "stop")
    assert completion.object == "text_completion"
    assert completion.id.startswith("cmpl-")
    assert completion.usage.completion_tokens == len(ANSWER) + 1


def test_a_text_completion_as_a_stream(client):
    with client.completions.create(model="any", prompt="hi", stream=True) as stream:
        chunks = list(stream)

    assert "".join(chunk.choices[0].text for chunk in chunks) == ANSWER
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]


def test_logprobs_reach_the_client(client):
    completion = client.chat.completions.create(
        model="any", messages=MESSAGES, max_tokens=2, logprobs=True, top_logprobs=2
    )

    entries = completion.choices[0].logprobs.content
    assert [entry.token for entry in entries] == ["T", "h"]
    assert [len(entry.top_logprobs) for entry in entries] == [2, 2]


async def test_async_completions_side_by_side(async_client):
    completions = await asyncio.gather(
        *(
            async_client.chat.completions.create(
                model="any", messages=[{"role": "user", "content": f"number {i}"}]
            )
            for i in range(8)
        )
    )

    assert [completion.choices[0].message.content[-8:] for completion in completions] == [
        f"number {i}" for i in range(8)
    ]


async def test_an_async_stream(async_client):
    async with await async_client.chat.completions.create(
        model="any", messages=MESSAGES, stream=True
    ) as stream:
        chunks = [chunk async for chunk in stream]

    assert joined(chunks) == ANSWER


def test_every_parameter_we_take(client):
    completion = client.chat.completions.create(
        model="any",
        messages=[
            {"role": "developer", "content": [{"type": "text", "text": "be kind"}]},
            {"role": "user", "content": "hi", "name": "ann"},
        ],
        max_completion_tokens=4,
        temperature=0,
        top_p=1,
        seed=1,
        n=1,
        stop=["never"],
        user="ann",
        extra_body={"top_k": 3, "chat_template_kwargs": {"enable_thinking": False}},
    )

    assert completion.choices[0].message.content == "This"
    assert completion.choices[0].finish_reason == "length"


def test_a_stop_string_ends_the_answer_and_is_not_in_it(client):
    completion = client.chat.completions.create(model="any", messages=MESSAGES, stop=" model.")

    assert completion.choices[0].message.content == "This is the scripted"
    assert completion.choices[0].finish_reason == "stop"


def test_the_models(client):
    [listed] = client.models.list().data

    assert (listed.id, listed.object, listed.owned_by) == ("scripted", "model", "mlxsite")
    assert client.models.retrieve("scripted").id == "scripted"


def test_a_model_that_is_not_served(client):
    with pytest.raises(openai.NotFoundError) as raised:
        client.models.retrieve("org/other")

    assert raised.value.code == "model_not_found"
    assert raised.value.param == "model"


def test_a_bad_request_tells_the_field(client):
    with pytest.raises(openai.BadRequestError) as raised:
        client.chat.completions.create(model="any", messages=MESSAGES, top_p=7)

    assert raised.value.param == "top_p"
    assert raised.value.type == "invalid_request_error"
    assert "top_p must be at most 1" in raised.value.message


def test_a_bad_request_for_a_stream_is_an_error_before_the_stream(client):
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="any", messages=[], stream=True)


def test_a_prompt_too_long_tells_the_limit(client):
    messages = [{"role": "user", "content": "x" * 9000}]

    with pytest.raises(openai.BadRequestError) as raised:
        client.chat.completions.create(model="any", messages=messages)

    assert (raised.value.type, raised.value.code) == ("memory_admission", "context_over_budget")
    assert "8192" in raised.value.message
