"""Decode rate of the whole server, as streaming clients see it."""

import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
READY_SECONDS = 120


@contextlib.contextmanager
def server(folder: Path) -> Iterator[str]:
    """Run `runserver_mlx` on the model in `folder`; gives its URL, stops it at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "manage.py", "runserver_mlx", "--no-open", "--port", str(port)]
    with tempfile.TemporaryDirectory() as state:
        process = subprocess.Popen(
            [*command, "--model", str(folder)],
            cwd=ROOT,
            env={**os.environ, "MLXSITE_STATE_DIR": state},
            stdout=subprocess.DEVNULL,
        )
        try:
            _wait(url, process)
            yield url
        finally:
            process.terminate()
            process.wait(30)


async def served_rate(url: str, rows: int, tokens: int) -> float:
    """Return tokens per second while all of `rows` concurrent greedy streams run.

    Measured from the moment the last stream has begun to the first end; what lies before
    is prefill, what lies after is a smaller batch.
    """
    async with httpx.AsyncClient(timeout=300) as client:
        times = await asyncio.gather(*[_stream(client, url, row, tokens) for row in range(rows)])
    begin = max(stream[0] for stream in times)
    end = min(stream[-1] for stream in times)
    if end <= begin:
        raise RuntimeError("a stream ended before all had begun; ask for more tokens")
    counted = sum(begin < at <= end for stream in times for at in stream)
    return counted / (end - begin)


async def _stream(client: httpx.AsyncClient, url: str, row: int, tokens: int) -> list[float]:
    body = {
        "messages": [{"role": "user", "content": f"Tell me a very long story, number {row}."}],
        "stream": True,
        "temperature": 0,
        "max_tokens": tokens,
    }
    times = []
    async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                choices = json.loads(line.removeprefix("data: "))["choices"]
                if choices and choices[0]["delta"].get("content"):
                    times.append(time.perf_counter())
    return times


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{url}/health", timeout=5).close()
            return
        time.sleep(0.1)
    raise RuntimeError("the server did not become ready")
