"""The OpenAI side of the shared scripted server: as raw HTTP, and in this very process."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from inference import runtime
from inference.service import GenerationService


@pytest.fixture
def http(server: str) -> Iterator[httpx.Client]:
    """Raw HTTP to the shared server; paths are relative to its root."""
    with httpx.Client(base_url=server, timeout=30) as client:
        yield client


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[GenerationService | None], None]:
    """Call with a service to put it behind Django's test clients; with None for no service."""
    return lambda service: monkeypatch.setattr(runtime, "_service", service)
