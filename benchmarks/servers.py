"""The servers that are compared: how each is started, when it is ready, how it is stopped.

Both listen on a free loopback port, answer the OpenAI chat protocol, and stay off the
network. Only one should run at a time: two would share the machine that is measured.
"""

import contextlib
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STOP_SECONDS = 30
LOG_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class ServerKind:
    """One program that serves a model folder.

    command: model folder, port and most concurrent streams to the arguments of a process.
    keep_prompts: further arguments that have it keep prompts in a folder; none if it cannot.
    """

    name: str
    command: Callable[[Path, int, int], list[str]]
    keep_prompts: Callable[[Path], list[str]] = lambda folder: []


@dataclass(slots=True)
class Server:
    """A process that has been started; ready or not. url: without a slash at the end."""

    kind: ServerKind
    process: "subprocess.Popen[bytes]"
    port: int
    started_at: float
    log_path: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait_until_ready(self, timeout_seconds: float) -> float:
        """Ask for one token until it comes; returns the seconds since the process began.

        Raises RuntimeError with the end of the server's log when it has ended, or when
        the time is up.
        """
        deadline = self.started_at + timeout_seconds
        while (now := time.perf_counter()) < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"ended with status {self.process.returncode}: {self._log()}")
            with contextlib.suppress(OSError, http.client.HTTPException):
                if _answers(self.port, deadline - now):
                    return time.perf_counter() - self.started_at
            time.sleep(0.02)
        raise RuntimeError(f"not ready after {timeout_seconds:.0f} s: {self._log()}")

    def _log(self) -> str:
        text = " ".join(self.log_path.read_text(encoding="utf-8", errors="replace").split())
        return text[-LOG_CHARACTERS:] or "it said nothing"


def _mlxsite(folder: Path, port: int, streams: int) -> list[str]:
    command = [sys.executable, "manage.py", "runserver_mlx", "--no-open", "--port", str(port)]
    # By default eight requests run at once and others wait.
    return [*command, "--model", str(folder), "--batch", str(max(8, streams))]


def _mlx_lm(folder: Path, port: int, streams: int) -> list[str]:
    command = [sys.executable, "-m", "mlx_lm", "server", "--port", str(port)]
    # By default up to 32 requests decode at once.
    return [*command, "--model", str(folder), "--decode-concurrency", str(max(32, streams))]


MLXSITE = ServerKind("mlxsite", _mlxsite, lambda folder: ["--ssd-cache", str(folder)])
MLX_LM = ServerKind("mlx_lm.server", _mlx_lm)


@contextlib.contextmanager
def started(
    kind: ServerKind, folder: Path, streams: int, flags: Sequence[str] = ()
) -> Iterator[Server]:
    """Start a server on the model in `folder`; stops it at the end, whatever happened.

    streams: most requests that will run at once. flags: further arguments.
    """
    port = _free_port()
    with tempfile.TemporaryDirectory() as state:
        log_path = Path(state) / "server.log"
        environment = {**os.environ, "MLXSITE_STATE_DIR": state, "HF_HUB_OFFLINE": "1"}
        with log_path.open("wb") as log:
            started_at = time.perf_counter()
            process = subprocess.Popen(
                [*kind.command(folder, port, streams), *flags],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            yield Server(kind, process, port, started_at, log_path)
        finally:
            _stop(process)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _answers(port: int, timeout_seconds: float) -> bool:
    """Whether a request for one token is answered with 200."""
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout_seconds)
    try:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        return connection.getresponse().status == http.client.OK
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
