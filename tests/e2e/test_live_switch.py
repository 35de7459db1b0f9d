"""A real server whose model is switched over HTTP while clients stream."""

import json
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.plugins.server import ServerProcess, spawn, stop
from tests.plugins.tiny_model import END_OF_TURN

pytestmark = pytest.mark.slow

CHAT, SERVE = "/v1/chat/completions", "/api/hub/serve"
ONE, OTHER = "tiny/llama", "tiny/hybrid"
PATIENCE = 60  # seconds


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("switchable")


@pytest.fixture(scope="module")
def server(folder, tiny_checkpoint) -> Iterator[ServerProcess]:
    """One server for the tests of this file, the last of which stops it."""
    for name in (ONE, OTHER):
        source = tiny_checkpoint(name.partition("/")[2])
        shutil.copytree(source, folder / "cache" / "models" / name)
    environment = {"MLXSITE_CACHE_DIR": str(folder / "cache")}
    server = spawn(folder, "--model", ONE, env=environment)
    server.wait_until_ready()
    yield server
    stop(server)


@pytest.fixture
def http(server):
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        yield client


def body(**fields):
    return {"messages": [{"role": "user", "content": "hi"}], "temperature": 0, **fields}


def switch_to(http, model):
    return http.post(SERVE, json={"model": model, "live": True})


def ended(http):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        status = http.get(SERVE).json()
        assert http.get("/health").status_code == 200
        if status["state"] in ("ready", "failed"):
            return status
        time.sleep(0.02)
    raise AssertionError(status)


def test_the_bandwidth_of_a_cpu_is_measured_before_the_first_request(server, folder, http):
    is_measured = (folder / "cache" / "bandwidth.json").exists()

    assert is_measured or "cpu" not in http.get("/stats").json()["server"]["backend"]


def measured_rate(http):
    deadline = time.monotonic() + PATIENCE
    while (rate := http.get("/fit").json()["measured_decode_tps"]) is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return rate


def test_a_switch_outlives_who_asked_for_it_and_breaks_no_stream(server, http):
    with http.stream("POST", CHAT, json=body(stream=True, max_tokens=150)) as stream:
        lines = (line for line in stream.iter_lines() if line.startswith("data: "))
        chunks = [next(lines)]
        with httpx.Client(base_url=server.url, timeout=PATIENCE) as asker:
            assert switch_to(asker, OTHER).status_code == 202
        status = http.get(SERVE).json()
        chunks += lines

    assert status["target"] == OTHER
    assert chunks[-1] == "data: [DONE]"
    assert {json.loads(chunk[6:])["model"] for chunk in chunks[:-1]} == {ONE}
    assert ended(http)["model"] == OTHER
    assert http.post(CHAT, json=body(max_tokens=3)).json()["model"] == OTHER
    assert http.get("/v1/models").json()["data"][0]["id"] == OTHER
    serving = {row["repo_id"]: row["serving"] for row in http.get("/library").json()["models"]}
    assert serving == {ONE: False, OTHER: True}

    http.post(CHAT, json=body(max_tokens=60, logit_bias={str(END_OF_TURN): -100}))
    assert measured_rate(http) > 0

    assert switch_to(http, ONE).status_code == 202
    server.signal(signal.SIGTERM)
    assert server.wait() == 0
    assert "Traceback" not in server.log and "Error" not in server.log
