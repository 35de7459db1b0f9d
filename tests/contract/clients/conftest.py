"""The vendors' own clients in front of the application, in this process, over a scripted model."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from django.core.asgi import get_asgi_application

from inference import runtime
from inference.engine.scripted import ScriptedRunner
from inference.service import GenerationService
from inference.text.byte_tokenizer import END_OF_TURN

Play = Callable[..., list[str]]


@pytest.fixture
def play(make_service: Callable[..., GenerationService], monkeypatch: pytest.MonkeyPatch) -> Play:
    """Call with what the model writes, one text a request; returns the prompts, as they come."""

    def start(*answers: str) -> list[str]:
        prompts: list[str] = []
        left = iter(answers)

        def script(sequence: Any) -> list[int]:
            prompts.append(bytes(sequence.prompt).decode())
            return [*next(left).encode(), END_OF_TURN]

        service = make_service(runner=ScriptedRunner(script), max_context=100_000)
        monkeypatch.setattr(runtime, "_service", service)
        return prompts

    return start


@pytest.fixture
async def http() -> AsyncIterator[httpx2.AsyncClient]:
    transport = httpx2.ASGITransport(app=get_asgi_application())
    async with httpx2.AsyncClient(transport=transport) as client:
        yield client


@pytest.fixture
def openai_client(http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(
        base_url="http://testserver/v1", api_key="none", max_retries=0, http_client=http
    )


@pytest.fixture
def anthropic_client(http: httpx2.AsyncClient) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(
        base_url="http://testserver", api_key="none", max_retries=0, http_client=http
    )
