"""The real server as a process: `server` for most tests, `start_server(...)` for any options."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT = 120  # seconds; a real model on a busy machine takes a while
STOP_TIMEOUT = 30


@dataclass
class ServerProcess:
    """One `runserver_mlx`. url: without a slash at the end. log: its output so far."""

    process: "subprocess.Popen[bytes]"
    url: str
    log_path: Path
    stopped: bool = field(default=False)

    @property
    def log(self) -> str:
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def wait(self, timeout: float = STOP_TIMEOUT) -> int:
        """Wait for the end; return the exit status."""
        self.stopped = True
        return self.process.wait(timeout)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                pytest.fail(f"the server ended with {self.process.returncode}:\n{self.log}")
            try:
                urllib.request.urlopen(self.url + "/", timeout=5).close()
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
            else:
                return
        pytest.fail(f"the server did not answer within {START_TIMEOUT} s:\n{self.log}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def spawn(
    folder: Path, *args: str, env: Mapping[str, str] | None = None, port: int | None = None
) -> ServerProcess:
    """Start `runserver_mlx --port <free> --no-open` with `args`; state stays below `folder`."""
    port = port or free_port()
    log_path = folder / "server.log"
    environment = {
        **os.environ,
        "MLXSITE_STATE_DIR": str(folder / "state"),
        "MLXSITE_NO_JOBS": "1",  # one process less to start
        "PYTHONWARNINGS": "default",
        **(env or {}),
    }
    command = [sys.executable, "manage.py", "runserver_mlx", "--no-open", "--port", str(port)]
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [*command, *args],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return ServerProcess(process, f"http://127.0.0.1:{port}", log_path)


def stop(server: ServerProcess) -> None:
    if server.stopped:
        return
    if server.process.poll() is None:
        server.signal(signal.SIGTERM)
    try:
        status = server.wait()
    except subprocess.TimeoutExpired:
        server.process.kill()
        server.process.wait()
        pytest.fail(f"the server did not stop within {STOP_TIMEOUT} s:\n{server.log}")
    assert status == 0, server.log


@pytest.fixture
def start_process(tmp_path: Path) -> Iterator[Callable[..., ServerProcess]]:
    """Call with command-line arguments and `env`; returns a ready `ServerProcess`.

    Every server it started is stopped at the end, and must have ended with status 0,
    unless the test has waited for it.
    """
    started: list[ServerProcess] = []

    def start(*args: str, env: Mapping[str, str] | None = None) -> ServerProcess:
        folder = tmp_path / f"server-{len(started)}"
        folder.mkdir()
        server = spawn(folder, *args, env=env)
        started.append(server)
        server.wait_until_ready()
        return server

    yield start
    for server in started:
        stop(server)


@pytest.fixture
def start_server(start_process: Callable[..., ServerProcess]) -> Callable[..., str]:
    """As `start_process`, for tests that only talk to the server: returns its URL."""
    return lambda *args, env=None: start_process(*args, env=env).url


@pytest.fixture(scope="session")
def scripted_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server with the scripted model, shared by all tests that change nothing in it."""
    server = spawn(tmp_path_factory.mktemp("scripted"), "--scripted")
    server.wait_until_ready()
    yield server
    stop(server)


@pytest.fixture
def server(scripted_server: ServerProcess) -> str:
    """URL of the shared scripted server."""
    return scripted_server.url
