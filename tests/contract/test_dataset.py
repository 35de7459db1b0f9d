"""The routes of dataset building, as the pages use them; templates are tried elsewhere."""

import json
import random

import pytest

from jobs.dataset.registry import TEMPLATES
from jobs.errors import QueueFailed
from jobs.models import Job
from tests.plugins.openapi import DOCUMENT, Bodies, answers

JSON = "application/json"
LIST, SUBMIT = "/api/dataset/templates", "/api/dataset/submit"
PAIRS = {"pairs_text": "Q: a\nA: b"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def queued(monkeypatch, settings, tmp_path, jobs_config):
    """Ids of jobs that were queued; none of them runs."""
    settings.CACHE_DIR = tmp_path / "cache"
    ids = []
    monkeypatch.setattr("jobs.submit.enqueue", lambda job: ids.append(job.id))
    return ids


@pytest.fixture
def submit(async_client, queued):
    """Send a body; return status and answer, which must be as the OpenAPI document says."""

    async def submit(body, text=None):
        text = json.dumps(body) if text is None else text
        response = await async_client.post(SUBMIT, text, content_type=JSON)
        answer = json.loads(response.content)
        answers(SUBMIT, response.status_code).validate(answer)
        return response.status_code, answer

    return submit


async def test_templates_are_listed_as_the_form_reads_them(async_client):
    response = await async_client.get(LIST)

    body = json.loads(response.content)
    answers(LIST, 200, method="get").validate(body)
    assert [each["id"] for each in body["templates"]] == list(TEMPLATES)
    needs = [each["needs_llm"] for each in body["templates"]]
    assert needs == sorted(needs)
    assert set(body["templates"][0]) == {
        "id", "label", "description", "output_format", "needs_llm", "fields"
    }  # fmt: skip


async def test_a_job_is_queued_and_its_folder_named(submit, queued, tmp_path):
    body = {"template_id": "sft_qa_pairs", "inputs": PAIRS, "model_name": "owner/name"}

    status, answer = await submit(body)

    assert status == 200
    assert [answer["job_id"]] == queued
    assert answer["output_dir"].startswith(str(tmp_path / "cache/datasets/dataset-sft_qa_pairs-"))
    job = await Job.objects.aget()
    assert (job.kind, job.output_path) == ("dataset", answer["output_dir"])
    assert json.loads(job.config_json) == body | {"output_dir": answer["output_dir"]}


async def test_a_caller_does_not_choose_the_folder(submit, tmp_path):
    body = {"template_id": "sft_qa_pairs", "inputs": PAIRS, "output_dir": str(tmp_path / "mine")}

    _, answer = await submit(body)

    assert "dataset-sft_qa_pairs-" in answer["output_dir"]
    assert not (tmp_path / "mine").exists()


async def test_jobs_of_one_moment_have_folders_of_their_own(submit):
    found = [await submit({"template_id": "sft_qa_pairs", "inputs": PAIRS}) for _ in range(3)]

    assert len({answer["output_dir"] for _, answer in found}) == 3


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "unknown template None: choose one of sft_qa_pairs, "),
        ({"template_id": "nope"}, "unknown template 'nope': choose one of sft_qa_pairs, "),
        ({"template_id": ["x"]}, "unknown template ['x']"),
        ({"template_id": "sft_qa_pairs"}, "pairs_text required"),
        ({"template_id": "sft_qa_pairs", "inputs": None}, "pairs_text required"),
        ({"template_id": "sft_qa_pairs", "inputs": [1]}, "inputs must be an object"),
        ({"template_id": "sft_qa_pairs", "inputs": {"pairs_text": 5}}, "pairs_text must be text"),
        (
            {"template_id": "self_instruct", "inputs": {"seeds": "a", "variants_per_seed": "5"}},
            "variants_per_seed must be a whole number from 1 to 50, not '5'",
        ),
        (
            {"template_id": "multi_turn_chat", "inputs": {"seeds": "a", "turns": 1}},
            "turns must be a whole number from 2 to 40, not 1",
        ),
        (
            {"template_id": "rag_qa", "inputs": {"documents": "a", "min_chunk_chars": 39}},
            "min_chunk_chars must be a whole number from 40 to 20,000, not 39",
        ),
        (
            {"template_id": "code_completion", "inputs": {"src_dir": "/no/such/folder"}},
            "src_dir: /no/such/folder is no folder that can be read",
        ),
        (
            {"template_id": "tool_use_traces",
             "inputs": {"tools_json": "[", "scenarios": "a", "mock_results": "b"}},
            "tools_json is not JSON",
        ),
        ({"template_id": "sft_qa_pairs", "inputs": PAIRS, "model_name": 5}, "model_name must be"),
    ],
)  # fmt: skip
async def test_what_does_not_fit_is_told_before_a_job_is_made(
    submit, queued, tmp_path, body, error
):
    status, answer = await submit(body)

    assert (status, answer["ok"]) == (400, False)
    assert answer["error"].startswith(error)
    assert queued == []
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", "5", '"a"', "[" * 100_000, "\x00"])
async def test_a_body_that_is_no_object_is_refused(submit, text):
    status, _ = await submit(None, text)

    assert status == 400


async def test_a_full_queue_is_told(submit, monkeypatch):
    def refuse(job):
        raise QueueFailed("the queue takes nothing")

    monkeypatch.setattr("jobs.submit.enqueue", refuse)

    status, _ = await submit({"template_id": "sft_qa_pairs", "inputs": PAIRS})

    assert status == 503


async def test_no_body_is_a_fault_of_the_server(submit):
    schema = DOCUMENT["paths"][SUBMIT]["post"]["requestBody"]["content"][JSON]["schema"]
    bodies = Bodies(DOCUMENT, random.Random(SUBMIT))

    for number in range(60):
        body = bodies.fitting(schema)
        status, _ = await submit(bodies.broken(body) if number % 2 else body)

        assert status in (200, 400)
