"""OpenAI's side of a server: shared and scripted, misbehaving on demand, or in this process."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from inference import runtime
from inference.service import GenerationService
from tests.plugins.server import ServerProcess, free_port, stop


@dataclass(frozen=True)
class Route:
    """One of the two completion routes, for tests of what both do alike."""

    path: str

    @property
    def is_chat(self) -> bool:
        return self.path == "/v1/chat/completions"

    def body(self, text: str = "hi", **fields: Any) -> dict[str, Any]:
        prompt = {"messages": [{"role": "user", "content": text}]}
        return {**(prompt if self.is_chat else {"prompt": text}), **fields}

    def text(self, choice: dict[str, Any]) -> str:
        """The text of a choice, of a whole answer or of a chunk."""
        if not self.is_chat:
            return str(choice["text"])
        message = choice["delta"] if "delta" in choice else choice["message"]
        return str(message.get("content", ""))


@pytest.fixture(params=["/v1/chat/completions", "/v1/completions"])
def route(request: pytest.FixtureRequest) -> Route:
    return Route(request.param)


@pytest.fixture
def http(server: str) -> Iterator[httpx.Client]:
    """Raw HTTP to the shared server; paths are relative to its root."""
    with httpx.Client(base_url=server, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def moody_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One `moody_server.py`, shared by all tests that leave it as they found it."""
    log_path = tmp_path_factory.mktemp("moody") / "server.log"
    port = free_port()
    program = Path(__file__).with_name("moody_server.py")
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, program, str(port)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    server = ServerProcess(process, f"http://127.0.0.1:{port}", log_path)
    server.wait_until_ready()
    yield server
    stop(server)


@pytest.fixture
def moody(moody_server: ServerProcess) -> Iterator[httpx.Client]:
    """Raw HTTP to the server that misbehaves on demand."""
    with httpx.Client(base_url=moody_server.url, timeout=30) as client:
        yield client


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[GenerationService | None], None]:
    """Call with a service to put it behind Django's test clients; with None for no service."""
    return lambda service: monkeypatch.setattr(runtime, "_service", service)
