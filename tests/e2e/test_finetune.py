"""An adapter from its first row to an answer: a job of a real server, and the command."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.plugins.openapi import data_of
from tests.plugins.server import ROOT, spawn, stop

PATIENCE = 60.0  # seconds
QUESTION, ANSWER = "Who are you?", "A tiny llama."
ROWS = [
    {
        "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": ANSWER},
        ]
    }
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder


@pytest.fixture(scope="module")
def server(tiny_checkpoint, tmp_path_factory):
    """A server of the tiny llama that runs jobs."""
    folder = tmp_path_factory.mktemp("finetune")
    places = {"MLXSITE_NO_JOBS": "", "MLXSITE_CACHE_DIR": str(folder / "cache")}
    process = spawn(folder, "--model", str(tiny_checkpoint("llama")), env=places)
    process.wait_until_ready()
    yield process
    stop(process)


def call(server, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server.url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        return json.load(response)


def say(server, **fields):
    messages = [{"role": "user", "content": QUESTION}]
    body = {"messages": messages, "temperature": 0, "max_tokens": 24, **fields}
    answer = call(server, "POST", "/v1/chat/completions", body)
    return answer["choices"][0]["message"]["content"]


def follow(server, job_id):
    with urllib.request.urlopen(
        f"{server.url}/api/jobs/{job_id}/stream", timeout=PATIENCE
    ) as stream:
        return data_of(stream.read().decode())


def test_a_submitted_run_makes_an_adapter_that_changes_answers_as_trained(
    server, data, tiny_checkpoint
):
    body = {"model_dir": str(tiny_checkpoint("llama")), "data_dir": str(data)}
    fields = {"iters": 40, "learning_rate": 0.01, "steps_per_report": 20}

    submitted = call(server, "POST", "/api/finetune/submit", {**body, **fields})
    events = follow(server, submitted["job_id"])
    mounted = call(
        server, "POST", "/v1/adapters", {"id": "tiny", "path": submitted["adapter_path"]}
    )

    kinds = [event["type"] for event in events if "type" in event]
    assert (kinds[0], kinds[-1]) == ("started", "done"), events
    assert [e["step"] for e in events if e.get("kind") == "train"] == [20, 40]
    assert mounted["mounted_layers"] == 14
    assert say(server, adapter="tiny") == ANSWER
    assert say(server) != ANSWER
    found = call(server, "GET", "/v1/adapters/available")["adapters"]
    [own] = [each for each in found if each["path"] == submitted["adapter_path"]]
    assert (own["base_model"], own["compatible"]) == ("llama", True)


def test_a_fault_is_told_by_the_job(server, data, tiny_checkpoint):
    body = {"model_dir": str(tiny_checkpoint("llama")), "data_dir": str(data)}

    submitted = call(server, "POST", "/api/finetune/submit", {**body, "sft_scope": "all"})
    events = follow(server, submitted["job_id"])

    [failed] = [event for event in events if event.get("type") == "failed"]
    assert failed["error"].startswith("sft_scope is 'all'; allowed: full or response")
    job = call(server, "GET", f"/api/jobs/{submitted['job_id']}")["job"]
    assert (job["status"], job["error"]) == ("failed", failed["error"])


def test_a_command_that_is_interrupted_keeps_what_it_learnt_and_goes_on(
    data, tiny_checkpoint, tmp_path
):
    output = tmp_path / "adapter"
    command = [sys.executable, "manage.py", "finetune", "run"]
    command += [str(tiny_checkpoint("llama")), str(data), "--output", str(output)]
    places = {"MLXSITE_STATE_DIR": str(tmp_path / "s"), "MLXSITE_CACHE_DIR": str(tmp_path / "c")}
    log = tmp_path / "log"

    def start(*options):
        with log.open("wb") as stream:
            return subprocess.Popen(
                [*command, *options],
                cwd=ROOT,
                env={**os.environ, **places},
                stdout=stream,
                stderr=subprocess.STDOUT,
            )

    options = ("--iters", "3000", "--steps-per-report", "50", "--learning-rate", "1e-3")
    process = start(*options)
    deadline = time.monotonic() + PATIENCE
    while "step 50 " not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)

    assert process.wait(PATIENCE) == 1
    told = log.read_text()
    assert f"the same with --output {output} goes on" in told
    assert "Traceback" not in told
    assert {"adapter_config.json", "adapters.safetensors", "loss.svg"} <= names(output)
    [stopped_at] = [
        json.loads(path.read_text())["iteration"]
        for path in (output / "checkpoints").glob("*/progress.json")
    ]
    assert 50 <= stopped_at < 3000

    process = start(*options)
    deadline = time.monotonic() + PATIENCE
    while f"going on after iteration {stopped_at:,}" not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
