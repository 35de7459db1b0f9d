"""The OpenAPI document tells the truth: of what is taken, and of what is answered."""

import json
import random
import re

import pytest

from inference import runtime
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from tests.plugins.openapi import (
    BEYOND_A_SCHEMA,
    CLOSED,
    DOCUMENT,
    EVENTS,
    JSON,
    READ_IN_PLACE_OF_ANOTHER,
    Bodies,
    answers,
    bodies_of,
    data_of,
    fits,
    judge,
    without,
)
from tests.plugins.scripted_embedder import ScriptedEmbedder

SCHEMAS = bodies_of(DOCUMENT)
BODIES = 250  # tried of each route


@pytest.fixture
def serve(make_service, monkeypatch):
    def serve(path=""):
        service = make_service(
            runner=ScriptedRunner(lambda sequence: [*b"ok", END_OF_TURN]),
            max_context=100_000,
            embedder=ScriptedEmbedder() if path == "/v1/embeddings" else None,
        )
        monkeypatch.setattr(runtime, "_service", service)
        return service

    return serve


async def send(client, path, body):
    """Return status, error message, and whether the answer is as documented."""
    raw = json.dumps(body)
    response = await client.generic("POST", path, raw.encode(), content_type=JSON)
    if response.streaming:
        text = b"".join([part async for part in response.streaming_content]).decode()
        events = data_of(text)
        assert events
        for event in events:
            answers(path, 200, EVENTS).validate(event)
        return response.status_code, ""
    answer = json.loads(response.content)
    answers(path, response.status_code).validate(answer)
    return response.status_code, answer.get("error") and answer["error"]["message"]


def example_of(path):
    name = SCHEMAS[path]["$ref"].rpartition("/")[2]
    return DOCUMENT["components"]["schemas"][name]["examples"][0]


@pytest.mark.parametrize("path", SCHEMAS)
async def test_a_body_is_accepted_if_and_only_if_it_fits_its_schema(path, serve, async_client):
    serve(path)
    schema = SCHEMAS[path]
    schema_judge = judge(DOCUMENT, schema)
    bodies = Bodies(DOCUMENT, random.Random(path))
    seen = {"accepted": 0, "refused": 0}

    for number in range(BODIES):
        body = bodies.fitting(schema)
        body = bodies.broken(body) if number % 2 else body
        status, message = await send(async_client, path, body)

        assert status in (200, 400, 404), (status, body)
        if status == 200:
            read = without(body, READ_IN_PLACE_OF_ANOTHER)
            assert fits(schema_judge, body) or fits(schema_judge, read), body
            seen["accepted"] += 1
        else:
            assert not fits(schema_judge, body) or BEYOND_A_SCHEMA.search(message), (message, body)
            seen["refused"] += 1

    assert min(seen.values()) > BODIES / 10


@pytest.mark.parametrize("path", SCHEMAS)
async def test_the_example_of_a_body_is_answered(path, serve, async_client):
    serve(path)
    assert await send(async_client, path, example_of(path)) == (200, None)


@pytest.mark.parametrize("path", ["/v1", "/v1/models", "/health", "/stats"])
async def test_what_is_read_is_as_the_document_says(path, serve, async_client):
    serve()

    response = await async_client.get(path)

    assert response.status_code == 200
    answers(path, 200, method="get").validate(json.loads(response.content))


@pytest.mark.parametrize(
    ("route", "name", "status"),
    [
        ("get /v1/models/{model_id}", "scripted", 200),
        ("get /v1/models/{model_id}", "no/such/model", 404),
        ("get /v1/responses/{response_id}", "resp_none", 404),
        ("get /v1/responses/{response_id}", "resp_none?stream=true", 400),
        ("delete /v1/responses/{response_id}", "resp_none", 404),
    ],
)
async def test_what_a_name_leads_to_is_as_the_document_says(
    route, name, status, serve, async_client
):
    method, path = route.split()
    serve()

    response = await getattr(async_client, method)(path.partition("{")[0] + name)

    assert response.status_code == status
    answers(path, status, method=method).validate(json.loads(response.content))


async def test_a_stored_response_is_returned_and_deleted_as_documented(serve, async_client):
    serve()
    stored = await async_client.post("/v1/responses", {"input": "hi"}, content_type=JSON)
    path = "/v1/responses/{response_id}"
    url = f"/v1/responses/{json.loads(stored.content)['id']}"

    for method in ("get", "delete"):
        response = await getattr(async_client, method)(url)

        assert response.status_code == 200
        answers(path, 200, method=method).validate(json.loads(response.content))


async def test_without_an_engine_the_document_still_holds(monkeypatch, async_client):
    monkeypatch.setattr(runtime, "_service", None)

    for path in ("/v1", "/v1/models", "/health", "/stats"):
        response = await async_client.get(path)
        assert response.status_code == 503
        answers(path, 503, method="get").validate(json.loads(response.content))
    for path in SCHEMAS:
        status, message = await send(async_client, path, example_of(path))
        assert (status, bool(message)) == (503, True)


@pytest.mark.parametrize("path", DOCUMENT["paths"])
async def test_a_route_takes_the_methods_of_the_document_and_head(path, async_client):
    told = {method.upper() for method in DOCUMENT["paths"][path]}
    url = re.sub(r"{\w+}", "x", path)

    response = await async_client.generic("PROPFIND", url)

    assert response.status_code == 405
    allowed = set(response["Allow"].split(", "))
    assert allowed == told | ({"HEAD"} if "GET" in told else set())
    answer = json.loads(response.content)
    judge(CLOSED, CLOSED["components"]["schemas"]["Error"]).validate(answer)


async def test_a_path_that_nothing_answers_is_as_the_document_says(async_client):
    response = await async_client.get("/no/such/path")

    schema = CLOSED["components"]["schemas"]["NotFound"]
    judge(CLOSED, schema).validate(json.loads(response.content))


async def test_the_document_is_served_whole_and_head_has_no_body(async_client):
    response = await async_client.get("/api/openapi.json")
    assert response["Content-Type"] == JSON
    assert json.loads(response.content) == DOCUMENT

    head = await async_client.head("/api/openapi.json")
    assert (head.status_code, head.content) == (200, b"")
