"""Datasets beside a real server: its own model is asked, with a key, and jobs end as they shall."""

import json
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path

import httpx
import pytest

from jobs.dataset.registry import TEMPLATES
from jobs.dataset.run import run
from jobs.emitter import Emitter
from jobs.finetune.data.inspect import inspect
from tests.plugins.server import spawn, stop

PATIENCE = 200.0  # seconds; a real model on a busy machine
KEY = "the-secret-key-of-this-server"
OVER = ("done", "failed", "zombie")
CALL = 'Look it up: {"name": "look_up", "arguments": {"word": "x"}}'
INPUTS = {
    "style_transfer": {"reference_samples": "A sample.", "raw_text": "One.\n\nTwo."},
    "self_instruct": {"seeds": "name a river, name a town, name a hill"},
    "prompt_reconstruction": {"target_text": "A text."},
    "multi_turn_chat": {"seeds": "Hello"},
    "tool_use_traces": {
        "tools_json": '[{"name": "look_up"}]', "scenarios": CALL, "mock_results": "found"
    },
    "rag_qa": {"documents": "word " * 20, "min_chunk_chars": 40},
    "cot_synthesis": {"questions": "Why?\nHow?"},
    "verified_code": {"specs": "```python\nprint(1)\n```"},
}  # fmt: skip

pytestmark = pytest.mark.slow


class Site:
    """A server that runs jobs."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self.server = spawn(
            folder,
            *arguments,
            env={
                "MLXSITE_NO_JOBS": "",
                "MLXSITE_CACHE_DIR": str(folder / "cache"),
                "MLXSITE_API_KEYS": KEY,
            },
        )
        self.server.wait_until_ready()

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {KEY}"}
        url = self.server.url + path
        response = httpx.request(method, url, json=body, headers=headers, timeout=PATIENCE)
        assert response.status_code == 200, response.text
        return response

    def submit(self, template_id, **inputs):
        body = {"template_id": template_id, "inputs": inputs}
        return self.ask("POST", "/api/dataset/submit", body).json()["job_id"]

    def row(self, job_id):
        return self.ask("GET", f"/api/jobs/{job_id}").json()["job"]

    def wait(self, job_id, condition=lambda row: row["status"] in OVER):
        deadline = time.monotonic() + PATIENCE
        while not condition(row := self.row(job_id)):
            assert time.monotonic() < deadline, row
            time.sleep(0.05)
        return row

    def log(self, job_id):
        return self.ask("GET", f"/api/jobs/{job_id}/stream").text


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("dataset"), "--scripted")
    yield site
    stop(site.server)


@pytest.mark.parametrize("template_id", INPUTS)
def test_every_template_that_asks_a_model_is_answered_by_the_server(
    template_id, server, settings, tmp_path
):
    settings.JOBS = replace(settings.JOBS, server_url=server)
    settings.CACHE_DIR = tmp_path

    outcome = run({"template_id": template_id, "inputs": INPUTS[template_id]}, Emitter(StringIO()))

    found = inspect(Path(outcome.output_dir))
    assert found.problem == ""
    assert found.format == TEMPLATES[template_id].output_format.replace("_", "-")
    assert outcome.summary["calls"] >= 1
    assert outcome.summary["failed_calls"] == 0


def test_no_template_that_asks_a_model_is_left_out():
    assert set(INPUTS) == {each.id for each in TEMPLATES.values() if each.needs_llm}


def test_a_job_asks_the_server_that_runs_it(site):
    row = site.wait(job_id := site.submit("cot_synthesis", questions="Why?\nHow?"))

    assert (row["status"], row["error"]) == ("done", None)
    found = site.ask("POST", "/api/finetune/inspect-dataset", {"path": row["output_path"]}).json()
    assert found == {"ok": True, "n_train": 1, "n_valid": 1, "format": "messages"}
    assert f'"output_dir":"{row["output_path"]}","n_train":1,"n_valid":1' in site.log(job_id)
    assert "You said: Why?" in (Path(row["output_path"]) / "train.jsonl").read_text()


def test_the_key_is_in_no_row_no_log_and_no_file(site):
    [row] = site.ask("GET", "/api/jobs").json()["jobs"]  # of the test before

    assert KEY not in json.dumps(row) + site.server.log
    files = [path for path in site.folder.rglob("*") if path.is_file()]
    assert Path(row["log_path"]) in files
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_job_is_cancelled_in_the_middle_of_its_calls_and_leaves_nothing(site):
    job_id = site.submit("style_transfer", reference_samples="s", raw_text="x" * 900)
    row = site.wait(job_id, lambda row: row["message"] is not None)  # it has begun

    site.ask("POST", f"/api/jobs/{job_id}/cancel")
    ended = site.wait(job_id)

    assert (ended["status"], ended["error"]) == ("failed", "cancelled")
    assert not Path(row["output_path"]).exists()
    # Had it gone on until it was killed, its hidden folder would be there.
    assert list(Path(row["output_path"]).parent.glob(".*")) == []


@pytest.mark.starter
@pytest.mark.timeout(3 * PATIENCE)
def test_the_starter_model_makes_rows_to_train_on(starter_model, tmp_path):
    site = Site(tmp_path, "--model", str(starter_model))
    try:
        jobs = {
            "style_transfer": site.submit(
                "style_transfer",
                reference_samples="The sea was calm. The wind was gone.",
                raw_text="It rained all day, so we stayed at home and read books.",
            ),
            "self_instruct": site.submit(
                "self_instruct", seeds="Name a river in Europe.", variants_per_seed=2
            ),
        }
        done = {name: site.wait(job_id) for name, job_id in jobs.items()}

        for name, row in done.items():
            assert row["status"] == "done", site.log(jobs[name])
            path = {"path": row["output_path"]}
            assert site.ask("POST", "/api/finetune/inspect-dataset", path).json()["ok"]
    finally:
        stop(site.server)
