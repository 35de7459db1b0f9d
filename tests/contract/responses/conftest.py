"""The Responses routes in this process: given answers, prompts to read, a store of its own."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
import pytest
from django.core.asgi import get_asgi_application
from django.test import AsyncClient

from inference import runtime
from inference.api import discovery
from inference.api.responses import routes
from inference.api.responses.store import ResponseStore
from inference.engine.scripted import ScriptedRunner
from inference.service import GenerationService
from inference.text.byte_tokenizer import END_OF_TURN
from tests.contract.responses.wire import read_events

PATH = "/v1/responses"


@dataclass(frozen=True)
class Reply:
    """What a route answered. events: of a stream, in order; body: of anything else."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any]
    events: list[dict[str, Any]]


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch) -> ResponseStore:
    """An empty store in place of the process's."""
    store = ResponseStore()
    monkeypatch.setattr(routes, "STORE", store)
    monkeypatch.setattr(discovery, "STORE", store)
    return store


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[GenerationService | None], None]:
    """Call with a service to put it behind Django; with None for no service."""
    return lambda service: monkeypatch.setattr(runtime, "_service", service)


@pytest.fixture
def play(
    make_service: Callable[..., GenerationService],
    serve: Callable[[GenerationService | None], None],
) -> Callable[..., list[str]]:
    """Call with the text of every answer; returns the prompts, which fill as they come."""

    def start(answer: str = "Hello there") -> list[str]:
        prompts: list[str] = []

        def script(sequence: Any) -> list[int]:
            prompts.append(bytes(sequence.prompt).decode())
            return [*answer.encode(), END_OF_TURN]

        serve(make_service(runner=ScriptedRunner(script), max_context=100_000))
        return prompts

    return start


@pytest.fixture
def post(async_client: AsyncClient) -> Callable[..., Any]:
    """Call with a body, or its bytes; returns a `Reply`."""

    async def post_body(body: dict[str, Any] | bytes) -> Reply:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        response = await async_client.generic("POST", PATH, raw, content_type="application/json")
        headers = dict(response.items())
        if response.streaming:
            content = b"".join([part async for part in response.streaming_content])
            return Reply(response.status_code, headers, {}, read_events(content.decode()))
        return Reply(response.status_code, headers, json.loads(response.content), [])

    return post_body


@pytest.fixture
async def sdk() -> AsyncIterator[openai.AsyncOpenAI]:
    """OpenAI's client, in front of the application in this process."""
    transport = httpx2.ASGITransport(app=get_asgi_application())
    async with (
        httpx2.AsyncClient(transport=transport) as http,
        openai.AsyncOpenAI(
            base_url="http://testserver/v1", api_key="none", max_retries=0, http_client=http
        ) as client,
    ):
        yield client


@pytest.fixture
def remote(server: str) -> Iterator[openai.OpenAI]:
    """OpenAI's client, in front of the shared server."""
    with openai.OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client
