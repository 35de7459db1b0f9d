"""Anthropic's side of a server: the shared scripted one, or one in this process."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from django.http import HttpResponseBase
from django.test import AsyncClient

from inference import runtime
from inference.service import GenerationService
from tests.contract.anthropic.wire import read_events


@dataclass(frozen=True)
class Reply:
    """What the route answered. events: of a stream, in order; body: of anything else."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any] | None
    events: list[dict[str, Any]] | None

    @property
    def kinds(self) -> list[str]:
        """The types of the events, deltas by the type of the delta."""
        assert self.events is not None
        return [event.get("delta", {}).get("type", event["type"]) for event in self.events]


@pytest.fixture
def http(server: str) -> Iterator[httpx.Client]:
    """Raw HTTP to the shared server; paths are relative to its root."""
    with httpx.Client(base_url=server, timeout=30) as client:
        yield client


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[GenerationService | None], None]:
    """Call with a service to put it behind Django's test clients; with None for no service."""
    return lambda service: monkeypatch.setattr(runtime, "_service", service)


@pytest.fixture
def post(async_client: AsyncClient) -> Callable[..., Any]:
    """Call with a body, or its bytes, and a path; returns a `Reply`."""

    async def post_body(
        body: dict[str, Any] | bytes, path: str = "/v1/messages", **headers: str
    ) -> Reply:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        response = await async_client.generic(
            "POST", path, raw, content_type="application/json", headers=headers
        )
        return await _reply(response)

    return post_body


async def _reply(response: HttpResponseBase) -> Reply:
    headers = dict(response.items())
    if response.streaming:
        content = b"".join([part async for part in response.streaming_content])
        return Reply(response.status_code, headers, None, read_events(content.decode()))
    return Reply(response.status_code, headers, json.loads(response.content), None)
