"""Embeddings: OpenAI's own client and raw HTTP against a tiny model, and the turn they take."""

import asyncio
import base64
import json
import math
import struct
import threading
from collections.abc import Iterator

import httpx
import openai
import pytest

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from tests.plugins.scripted_embedder import ScriptedEmbedder
from tests.plugins.scripted_engine import PATIENCE, StepGate, eventually
from tests.plugins.server import ServerProcess, spawn, stop

PATH = "/v1/embeddings"
DIMENSIONS = 64
CONTEXT = 1024
slow = pytest.mark.slow


@pytest.fixture(scope="module")
def embedding_server(embedding_checkpoint, tmp_path_factory) -> Iterator[ServerProcess]:
    """A server of a tiny embedding model, which it recognises by its name."""
    server = spawn(tmp_path_factory.mktemp("embedding"), "--model", str(embedding_checkpoint))
    server.wait_until_ready()
    yield server
    stop(server)


@pytest.fixture
def embedding_http(embedding_server):
    with httpx.Client(base_url=embedding_server.url, timeout=30) as client:
        yield client


@pytest.fixture
def sdk(embedding_server):
    url = f"{embedding_server.url}/v1"
    with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(params=["a chat model", "an embedding model"])
def either_http(request):
    name = "http" if request.param == "a chat model" else "embedding_http"
    return request.getfixturevalue(name)


def create(sdk, texts, **fields):
    return sdk.embeddings.create(model="any", input=texts, **fields)


def vectors(answer):
    return [row.embedding for row in answer.data]


def error_of(response, status=400):
    assert response.status_code == status, response.text
    return response.json()["error"]


@slow
def test_the_client_reads_vectors_of_unit_length(sdk):
    answer = create(sdk, "hello")

    [vector] = vectors(answer)
    assert (answer.object, answer.data[0].object) == ("list", "embedding")
    assert answer.model == "tiny-qwen3-embedding"
    assert len(vector) == DIMENSIONS
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-6)


@slow
def test_both_encodings_carry_the_same_numbers(sdk):
    asked, default = create(sdk, "hello", encoding_format="float"), create(sdk, "hello")

    assert vectors(default)[0] == pytest.approx(vectors(asked)[0], abs=1e-6)


@slow
def test_several_texts_keep_their_order_in_any_length(sdk):
    texts = ["a", "The cat sat on the mat. " * 12, "b", "kitten", "a"]

    together = create(sdk, texts)

    assert [row.index for row in together.data] == [0, 1, 2, 3, 4]
    for text, vector in zip(texts, vectors(together), strict=True):
        assert vector == pytest.approx(vectors(create(sdk, text))[0], abs=1e-5)


@slow
def test_usage_counts_the_token_that_the_tokenizer_adds(sdk):
    usage = create(sdk, ["four", "five!"]).usage

    assert usage.prompt_tokens == usage.total_tokens == 4 + 1 + 5 + 1


@slow
def test_an_instruction_is_written_ahead_of_the_text(sdk):
    [plain] = vectors(create(sdk, "cats"))
    [steered] = vectors(create(sdk, "cats", extra_body={"instruction": "Find animals"}))
    [spelled] = vectors(create(sdk, "Instruct: Find animals\nQuery:cats"))

    assert steered == spelled
    assert steered != pytest.approx(plain, abs=1e-3)


@slow
def test_dimensions_cut_a_vector_and_scale_it_again(sdk):
    [whole] = vectors(create(sdk, "hello"))
    [cut] = vectors(create(sdk, "hello", dimensions=16))

    length = math.hypot(*whole[:16])
    assert cut == pytest.approx([number / length for number in whole[:16]], abs=1e-6)
    with pytest.raises(openai.BadRequestError, match=r"dimensions is 65.*have 64"):
        create(sdk, "hello", dimensions=65)


@slow
def test_each_encoding_is_what_was_asked_for(embedding_http):
    """Public case em-01."""

    def ask(**fields):
        return embedding_http.post(PATH, json={"input": "hello", **fields})

    raw = base64.b64decode(embedding_of(ask(encoding_format="base64")), validate=True)
    numbers = embedding_of(ask(encoding_format="float"))

    assert len(raw) == 4 * DIMENSIONS
    assert list(struct.unpack(f"<{DIMENSIONS}f", raw)) == pytest.approx(numbers, abs=1e-6)
    assert embedding_of(ask()) == numbers
    assert error_of(ask(encoding_format="int8"))["param"] == "encoding_format"


def embedding_of(response):
    assert response.status_code == 200, response.text
    [row] = response.json()["data"]
    return row["embedding"]


@slow
@pytest.mark.parametrize(
    "wanted",
    [[], "", [1, 2, 3], [[1, 2], [3]], ["a", 5], None, {"text": "a"}],
    ids=["no text", "empty", "token ids", "lists of token ids", "mixed", "null", "object"],
)
def test_what_is_no_text_is_refused(either_http, wanted):
    """Public case em-02, variants 1 to 7."""
    error = error_of(either_http.post(PATH, json={"input": wanted}))

    assert (error["type"], error["param"]) == ("invalid_request_error", "input")


@slow
def test_two_texts_have_two_vectors_of_finite_numbers(embedding_http):
    """Public case em-02, variant 8."""
    body = embedding_http.post(PATH, json={"input": ["a", "b"]}).json()

    assert [row["index"] for row in body["data"]] == [0, 1]
    assert all(math.isfinite(number) for row in body["data"] for number in row["embedding"])
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] > 0


@slow
def test_a_chat_model_embeds_nothing(server, http):
    """Public case em-02, a chat model served."""
    with (
        openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as sdk,
        pytest.raises(openai.BadRequestError, match="'scripted' is no embedding model") as caught,
    ):
        create(sdk, ["a", "b"])

    assert caught.value.type == "invalid_request_error"
    [row] = http.get("/v1/models").json()["data"]
    assert row["embeddings"] is row["capabilities"]["embeddings"] is False


@slow
def test_an_embedding_model_is_announced_as_one(embedding_http):
    [row] = embedding_http.get("/v1/models").json()["data"]

    assert row["embeddings"] is row["capabilities"]["embeddings"] is True
    assert "POST /v1/embeddings" in embedding_http.get("/v1").json()["endpoints"]


@slow
def test_half_a_character_is_no_fault_of_the_server(embedding_http):
    """Public case pr-09, on the embeddings route."""
    for text in (r"x \ude00", r"x \ud83d\ude00"):
        content = f'{{"input":"{text}"}}'
        headers = {"Content-Type": "application/json"}
        response = embedding_http.post(PATH, content=content, headers=headers)

        assert len(embedding_of(response)) == DIMENSIONS


@slow
def test_a_text_beyond_the_context_is_refused_with_its_length_and_the_limit(embedding_http):
    longest = "x" * (CONTEXT - 1)  # and the token that ends it
    assert len(embedding_of(embedding_http.post(PATH, json={"input": longest}))) == DIMENSIONS

    error = error_of(embedding_http.post(PATH, json={"input": [longest, longest + "x"]}))

    assert (error["type"], error["code"]) == ("memory_admission", "context_over_budget")
    assert "input[1] is 1025 tokens" in error["message"] and "1024" in error["message"]


@slow
async def test_chats_and_embeddings_at_once_are_answered_as_if_alone(embedding_server):
    chat = {"messages": [{"role": "user", "content": "hi"}], "temperature": 0, "max_tokens": 60}
    url = embedding_server.url
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:

        async def talk():
            answer = (await client.post("/v1/chat/completions", json=chat)).json()
            return answer["choices"][0]["message"]["content"]

        async def embed(number):
            return embedding_of(await client.post(PATH, json={"input": f"text {number}"}))

        text, expected = await talk(), [await embed(number) for number in range(6)]
        work = [coroutine for number in range(6) for coroutine in (talk(), embed(number))]
        results = await asyncio.gather(*work)

    assert results[::2] == [text] * 6
    for vector, alone in zip(results[1::2], expected, strict=True):
        assert vector == pytest.approx(alone, abs=1e-6)


# The turn they take, with an engine that can be held.


def post(client, path, body):
    return client.post(path, json.dumps(body), content_type="application/json")


async def test_embeddings_wait_for_running_chats_and_later_chats_for_them(
    make_service, serve, async_client
):
    happened, gate = [], StepGate()
    gate.hold = lambda plan: bool(plan.decodes)

    def script(sequence):
        happened.append("chat")
        return [*b"a long answer", END_OF_TURN]

    embedder = ScriptedEmbedder(on_row=lambda: happened.append("embedding"))
    service = make_service(runner=ScriptedRunner(script, on_step=gate), embedder=embedder)
    serve(service)
    chat = {"messages": [{"role": "user", "content": "hi"}]}

    async def start(path, body, waiting):
        task = asyncio.create_task(post(async_client, path, body))
        await eventually(lambda: service._engine._inbox.qsize() == waiting)
        return task

    tasks = [asyncio.create_task(post(async_client, "/v1/chat/completions", chat))]
    await gate.wait()
    tasks.append(await start(PATH, {"input": ["a", "b"]}, 1))
    tasks.append(await start("/v1/chat/completions", chat, 2))
    gate.open()
    async with asyncio.timeout(PATIENCE):
        responses = await asyncio.gather(*tasks)

    assert [response.status_code for response in responses] == [200] * 3
    assert happened == ["chat", "embedding", "embedding", "chat"]
    for response in responses[::2]:
        assert response.json()["choices"][0]["message"]["content"] == "a long answer"


async def test_a_full_line_refuses_embeddings_as_well(make_service, serve, gate, async_client):
    runner = ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN], on_step=gate.hold)
    service = make_service(runner=runner, embedder=ScriptedEmbedder(), max_running=1, max_waiting=1)
    serve(service)
    body = {"prompt": "hi"}
    waiting = [asyncio.create_task(post(async_client, "/v1/completions", body)) for _ in range(2)]
    await eventually(lambda: service._engine.num_under_way == 2)

    refused = await post(async_client, PATH, {"input": "a"})

    assert error_of(refused, 429)["code"] == "queue_full"
    gate.open()
    assert [response.status_code for response in await asyncio.gather(*waiting)] == [200, 200]


async def test_a_failure_of_the_model_is_500(make_service, serve, async_client, caplog):
    def fail():
        raise MemoryError("no memory left")

    serve(make_service(embedder=ScriptedEmbedder(on_row=fail)))

    error = error_of(await post(async_client, PATH, {"input": "a"}), 500)

    assert (error["type"], error["code"]) == ("api_error", "server_error")
    assert "no memory left" in error["message"]


async def test_a_stopping_engine_is_503(make_service, serve, async_client):
    begun, opened = threading.Event(), threading.Event()

    def hold():
        begun.set()
        assert opened.wait(PATIENCE)

    service = make_service(embedder=ScriptedEmbedder(on_row=hold))
    serve(service)
    tasks = [asyncio.create_task(post(async_client, PATH, {"input": "a"}))]
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    tasks.append(asyncio.create_task(post(async_client, PATH, {"input": "b"})))
    await eventually(lambda: service._engine._inbox.qsize() == 1)
    stopping = asyncio.create_task(asyncio.to_thread(service._engine.stop))
    await eventually(lambda: service._engine._inbox.qsize() == 2)
    opened.set()
    await stopping

    first, second = await asyncio.gather(*tasks)

    assert first.status_code == 200
    assert error_of(second, 503)["type"] == "engine_unavailable"
