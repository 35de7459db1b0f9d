"""OpenAI's side of a server: shared and scripted, misbehaving on demand, or in this process."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from inference import runtime
from inference.service import GenerationService
from tests.plugins.server import ServerProcess, free_port, stop


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
