"""Quantization beside a real server: submitted, followed, listed, cancelled, served."""

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.plugins.server import ROOT, spawn, stop
from tests.plugins.tiny_model import write_checkpoint

PATIENCE = 60.0  # seconds
OVER = ("done", "failed", "zombie")

pytestmark = pytest.mark.slow


class Site:
    """A server that runs jobs, over two empty folders of models."""

    def __init__(self, folder: Path) -> None:
        self.models, self.cache = folder / "cache" / "models", folder / "hub"
        self.environment = {
            "MLXSITE_NO_JOBS": "",
            "MLXSITE_CACHE_DIR": str(folder / "cache"),
            "HF_HUB_CACHE": str(self.cache),
            "DJANGO_SETTINGS_MODULE": "mlxsite.settings",
        }
        self.server = spawn(folder, "--scripted", env=self.environment)
        self.server.wait_until_ready()

    def ask(self, method, path, body=None):
        response = httpx.request(method, self.server.url + path, json=body, timeout=PATIENCE)
        assert response.status_code == 200, response.text
        return response.json()

    def submit(self, **body):
        return self.ask("POST", "/api/quantize/submit", body)

    def row(self, job_id):
        return self.ask("GET", f"/api/jobs/{job_id}")["job"]

    def wait(self, job_id, condition=lambda row: row["status"] in OVER):
        deadline = time.monotonic() + PATIENCE
        while not condition(row := self.row(job_id)):
            assert time.monotonic() < deadline, row
            time.sleep(0.05)
        return row

    def listed(self):
        return [model["repo_id"] for model in self.ask("GET", "/library")["models"]]

    def left(self):
        """What is in the Hugging Face cache, but for the locks."""
        if not self.cache.is_dir():
            return []
        return sorted(path.name for path in self.cache.iterdir() if path.name != ".locks")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("quantize"))
    write_checkpoint(site.models / "tiny" / "llama", "llama")
    write_checkpoint(site.models / "tiny" / "llama4", "llama4")
    yield site
    stop(site.server)


def test_a_model_is_quantized_and_listed_as_soon_as_the_job_is_done(site):
    before = site.listed()

    answer = site.submit(model_id="tiny/llama", bits=8, group_size=32, n_calibration=2)
    row = site.wait(answer["job_id"])

    assert (row["status"], row["error"], row["progress"]) == ("done", None, 1.0)
    assert row["output_path"] == answer["output_dir"]
    assert Path(answer["output_dir"], "model.safetensors").is_file()
    assert set(site.listed()) - set(before) == {"tiny/llama-OptiQ-8bit"}
    assert site.left() == ["models--tiny--llama-OptiQ-8bit"]


def test_a_job_that_is_cancelled_leaves_nothing(site):
    before = site.left()
    job = site.submit(
        model_id="tiny/llama4", target_bpw=6, candidate_bits=[2, 3, 4, 5, 6, 8], group_size=32,
        n_calibration=512,
    )["job_id"]  # fmt: skip
    site.wait(job, lambda row: (row["message"] or "").startswith("Measuring") or row["error"])

    site.ask("POST", f"/api/jobs/{job}/cancel", {})
    row = site.wait(job)

    assert (row["status"], row["error"]) == ("failed", "cancelled")
    assert site.left() == before


def test_a_model_that_is_not_here_fails_as_a_job_with_the_reason(site):
    row = site.wait(site.submit(model_id="tiny/absent")["job_id"])

    assert row["status"] == "failed"
    assert "no model matches 'tiny/absent'" in row["error"]


@pytest.mark.starter
def test_the_starter_model_in_mixed_precision_still_knows_the_capital_of_france(
    starter_model, tmp_path
):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "mlxsite.settings",
        "HF_HUB_CACHE": str(tmp_path / "hub"),
        "MLXSITE_CACHE_DIR": str(tmp_path / "cache"),
        "MLXSITE_STATE_DIR": str(tmp_path / "state"),
    }
    flags = ["--target-bpw", "6.5", "--candidate-bits", "5", "8", "--n-calibration", "1"]
    done = subprocess.run(
        [sys.executable, "manage.py", "quantize", str(starter_model), *flags],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    name = "local/SmolLM2-135M-Instruct-OptiQ-mixed-6.5bpw"
    assert f"{name} is ready" in done.stdout

    server = spawn(tmp_path, "--model", name, env=environment)
    server.wait_until_ready()
    question = {"role": "user", "content": "What is the capital of France?"}
    answer = httpx.post(
        f"{server.url}/v1/chat/completions",
        json={"messages": [question], "temperature": 0, "max_tokens": 20},
        timeout=PATIENCE,
    )
    stop(server)

    assert "Paris" in answer.json()["choices"][0]["message"]["content"]
