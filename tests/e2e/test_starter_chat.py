"""A person's first hour: the real command, the starter model, OpenAI's client."""

import asyncio
import signal

import openai
import pytest

from tests.plugins import server as processes

FRANCE = "What is the capital of France?"
TIMEOUT = 120  # seconds for one answer on a busy machine

pytestmark = [pytest.mark.starter, pytest.mark.slow]


@pytest.fixture(scope="module")
def starter_server(starter_model, tmp_path_factory):
    """One server with the starter model for all tests that leave it running."""
    process = processes.spawn(tmp_path_factory.mktemp("starter"), "--model", str(starter_model))
    process.wait_until_ready()
    yield process
    processes.stop(process)


@pytest.fixture
def client(starter_server):
    with openai.OpenAI(
        base_url=f"{starter_server.url}/v1", api_key="none", max_retries=0, timeout=TIMEOUT
    ) as client:
        yield client


@pytest.fixture
async def async_client(starter_server):
    async with openai.AsyncOpenAI(
        base_url=f"{starter_server.url}/v1", api_key="none", max_retries=0, timeout=TIMEOUT
    ) as client:
        yield client


def asking(question, **fields):
    return {
        "model": "starter",
        "messages": [{"role": "user", "content": question}],
        "temperature": 0,
        "max_tokens": 20,
        **fields,
    }


def joined(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def test_it_knows_the_capital_of_france(client, starter_model):
    completion = client.chat.completions.create(**asking(FRANCE))

    assert "Paris" in completion.choices[0].message.content
    assert completion.choices[0].finish_reason in ("stop", "length")
    assert completion.model == starter_model.name


def test_it_streams_the_same_answer(client):
    whole = client.chat.completions.create(**asking(FRANCE))

    with client.chat.completions.create(**asking(FRANCE, stream=True)) as stream:
        chunks = list(stream)

    assert joined(chunks) == whole.choices[0].message.content
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens


async def test_it_answers_asynchronous_callers(async_client):
    completion = await async_client.chat.completions.create(**asking(FRANCE))

    assert "Paris" in completion.choices[0].message.content


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What color is the sky on a clear day?", "blue"),
        ("How many days are in a week?", "7 days"),
        ("Who wrote Romeo and Juliet?", "Shakespeare"),
    ],
)
def test_it_speaks_sensible_english(client, question, expected):
    completion = client.chat.completions.create(**asking(question))

    assert expected.lower() in completion.choices[0].message.content.lower()
    assert "\ufffd" not in completion.choices[0].message.content


def test_a_second_identical_request_takes_its_prompt_from_the_cache(client):
    question = "Name one river that flows through the middle of London, please."
    first = client.chat.completions.create(**asking(question))

    second = client.chat.completions.create(**asking(question))

    assert second.usage.prompt_tokens_details.cached_tokens > 0
    assert second.usage.prompt_tokens == first.usage.prompt_tokens
    assert second.choices[0].message.content == first.choices[0].message.content


async def test_eight_streams_at_once_are_batched(async_client):
    async def ask(number):
        stream = await async_client.chat.completions.create(
            **asking(f"Count upwards from {number}.", max_tokens=24, stream=True)
        )
        async with stream:
            return [chunk async for chunk in stream]

    answers = await asyncio.gather(*(ask(number) for number in range(8)))

    assert all(joined(chunks).strip() for chunks in answers)
    assert {chunks[-1].usage.model_extra["lane"] for chunks in answers} == {"batched"}


def test_sigterm_lets_a_stream_finish_and_exits_with_zero(start_process, starter_model):
    process = start_process("--model", str(starter_model))
    with openai.OpenAI(
        base_url=f"{process.url}/v1", api_key="none", max_retries=0, timeout=TIMEOUT
    ) as client:
        wanted = asking("Tell me a story about a fox.", max_tokens=60, stream=True)
        with client.chat.completions.create(**wanted) as stream:
            chunks = []
            for chunk in stream:
                chunks.append(chunk)
                if len(chunks) == 3:
                    process.signal(signal.SIGTERM)

    assert chunks[-1].choices[0].finish_reason in ("stop", "length")
    assert chunks[-1].usage.completion_tokens > 3
    assert process.wait(TIMEOUT) == 0
    assert "Finishing 1 answer" in process.log
    assert "Traceback" not in process.log
