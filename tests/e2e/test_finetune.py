"""An adapter from its first row to an answer: a job of a real server, and the command."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.plugins.openapi import data_of
from tests.plugins.server import ROOT, spawn, stop

PATIENCE = 60.0  # seconds
KILLS = int(os.environ.get("FINETUNE_KILLS", "1"))
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


def cancel_under_way(server, job_id):
    """Cancel a job once it trains, and return all of its events."""
    deadline = time.monotonic() + PATIENCE
    while "Iteration" not in (call(server, "GET", f"/api/jobs/{job_id}")["job"]["message"] or ""):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    call(server, "POST", f"/api/jobs/{job_id}/cancel", {})
    return follow(server, job_id)


def test_a_submitted_run_makes_an_adapter_that_changes_answers_as_trained(
    server, data, tiny_checkpoint
):
    assert call(server, "GET", "/v1/models")["data"][0]["training"] is True
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


def test_a_job_that_is_cancelled_keeps_what_it_learnt_and_can_go_on(server, data, tiny_checkpoint):
    body = {"model_dir": str(tiny_checkpoint("llama")), "data_dir": str(data), "iters": 5000}
    submitted = call(server, "POST", "/api/finetune/submit", body)
    folder = Path(submitted["adapter_path"])

    events = cancel_under_way(server, submitted["job_id"])

    assert [e["error"] for e in events if e.get("type") == "failed"] == ["cancelled"]
    assert any("left it is in" in e.get("line", "") for e in events)
    [progress] = folder.glob("checkpoints/*/progress.json")
    stopped_at = json.loads(progress.read_text())["iteration"]
    assert call(server, "POST", "/v1/adapters", {"id": "part", "path": str(folder)})["rank"] == 8

    again = call(server, "POST", "/api/finetune/submit", {**body, "adapter_path": str(folder)})
    lines = [event.get("line") for event in cancel_under_way(server, again["job_id"])]
    assert f"going on after iteration {stopped_at:,}" in lines


class Command:
    """`manage.py finetune run` as a process, again and again with the same options."""

    def __init__(self, folder: Path, model: Path, data: Path, output: Path) -> None:
        self.output = output
        self._log = folder / "log"
        self._arguments = [str(model), str(data), "--output", str(output), "--iters", "240"]
        self._arguments += ["--steps-per-report", "5", "--steps-per-eval", "20"]
        self._arguments += ["--lora-dropout", "0.1", "--learning-rate", "1e-3"]
        self._places = {"MLXSITE_STATE_DIR": str(folder), "MLXSITE_CACHE_DIR": str(folder)}

    def start(self) -> "subprocess.Popen[bytes]":
        with self._log.open("wb") as stream:
            return subprocess.Popen(
                [sys.executable, "manage.py", "finetune", "run", *self._arguments],
                cwd=ROOT,
                env={**os.environ, **self._places},
                stdout=stream,
                stderr=subprocess.STDOUT,
            )

    @property
    def log(self) -> str:
        return self._log.read_text()

    def stop(self, process: "subprocess.Popen[bytes]", number: int, steps: int) -> None:
        """Send a signal once so many reports have been made."""
        deadline = time.monotonic() + PATIENCE
        while self.log.count("kind train") < steps:
            assert process.poll() is None, self.log
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(number)

    def weights(self) -> dict[str, Any]:
        return dict(load_file(self.output / "adapters.safetensors"))


def test_a_run_that_is_stopped_and_killed_ends_as_if_nothing_had_been(
    data, tiny_checkpoint, tmp_path
):
    """One stop and one kill -9; FINETUNE_KILLS=50 is for a patient person."""
    model = tiny_checkpoint("llama")
    whole = Command(tmp_path, model, data, tmp_path / "whole")
    assert whole.start().wait(PATIENCE) == 0, whole.log
    command = Command(tmp_path, model, data, tmp_path / "stopped")
    numbers = random.Random(1)

    process = command.start()
    command.stop(process, signal.SIGINT, 6)
    assert process.wait(PATIENCE) == 1
    assert f"the same with --output {command.output} goes on" in command.log
    assert "Traceback" not in command.log
    assert {"adapter_config.json", "adapters.safetensors", "loss.svg"} <= names(command.output)
    for _ in range(KILLS):
        process = command.start()
        command.stop(process, signal.SIGKILL, numbers.randint(1, 10))
        process.wait(PATIENCE)
    assert command.start().wait(PATIENCE) == 0, command.log

    assert "going on after iteration" in command.log
    expected = whole.weights()
    for name, weight in command.weights().items():
        assert np.array_equal(weight, expected[name]), name


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
