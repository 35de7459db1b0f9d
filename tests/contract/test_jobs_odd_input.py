"""Bodies that no page sends: each route of jobs answers in its own form, and keeps nothing."""

import json

import pytest
from django.conf import settings

from hub.config import HubConfig
from jobs.models import Job
from tests.plugins.openapi import answers

JSON = "application/json"
INSPECT_MODEL, QUANTIZE = "/api/quantize/inspect", "/api/quantize/submit"
INSPECT_DATA, FINETUNE = "/api/finetune/inspect-dataset", "/api/finetune/submit"
MERGE, EXPORT, DATASET = "/api/finetune/merge", "/api/finetune/export", "/api/dataset/submit"
RESOLVE = ("/api/quantize/resolve-folder", "/api/model/resolve-folder")
PUSH = ("/api/quantize/push", "/api/finetune/push", "/api/dataset/push")
# Each route, with fields that name something and what else it needs.
ROUTES = [
    (INSPECT_MODEL, ("model_id",), {}),
    (QUANTIZE, ("model_id", "reference"), {"model_id": "m"}),
    (INSPECT_DATA, ("path",), {}),
    (FINETUNE, ("model_dir", "data_dir", "adapter_path"), {"model_dir": "m", "data_dir": "d"}),
    (MERGE, ("adapter_a", "adapter_b"), {"adapter_a": "/a", "adapter_b": "/b"}),
    (EXPORT, ("base_model", "adapter_path"), {"base_model": "m", "adapter_path": "/a"}),
    (DATASET, ("model_name",), {"template_id": "cot_synthesis", "inputs": {"questions": "Why?"}}),
    *((path, ("folder_name", "rel_path"), {}) for path in RESOLVE),
    *((path, ("source_path", "job_id"), {"repo_id": "org/name"}) for path in PUSH),
]
FIELDS = [(path, name, needed) for path, names, needed in ROUTES for name in names]
NAMES = ["~nosuchuser/x", "a" * 300, "/tmp/" + "a" * 300, "/" + "a/" * 3000, "/a\0b", "\0"]
# What Python reads though it is no JSON, or no text, or cannot be written again.
NO_JSON = [r'"\ud800"', r'"/tmp/\udcff"', "NaN", "-Infinity", "1e999", "[" * 960 + "]" * 960]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("jobs_config")]


@pytest.fixture
def call(async_client, settings, tmp_path, monkeypatch):
    """Send a text; return status and answer, which must be as the OpenAPI document says."""
    settings.CACHE_DIR, settings.STATE_DIR = tmp_path / "cache", tmp_path / "state"
    settings.HUB = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")
    monkeypatch.setattr("jobs.submit.enqueue", lambda job: None)

    async def call(path, text):
        response = await async_client.post(path, text, content_type=JSON)
        answer = json.loads(response.content)
        answers(path, response.status_code).validate(answer)
        return response.status_code, answer

    return call


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
@pytest.mark.parametrize(("path", "field", "needed"), FIELDS)
async def test_a_name_of_nothing_is_answered_as_the_route_answers(call, path, field, needed, name):
    status, answer = await call(path, json.dumps({**needed, field: name}))

    assert status in (200, 400)
    if path in (INSPECT_MODEL, INSPECT_DATA, *RESOLVE) and name.strip("\0"):
        assert (status, answer["ok"]) == (200, False)


@pytest.mark.parametrize("value", NO_JSON, ids=lambda value: value[:12])
@pytest.mark.parametrize(("path", "field", "needed"), FIELDS)
async def test_what_is_no_json_is_refused_wherever_it_stands(call, path, field, needed, value):
    rest = json.dumps(needed)[1:-1]
    comma = ", " if rest else ""

    for odd in (f'"{field}": {value}', f'"more": [{{"deep": {value}}}]'):
        status, answer = await call(path, f"{{{rest}{comma}{odd}}}")

        assert status == 400
        assert answer["error"].startswith("invalid JSON body")
    assert await Job.objects.acount() == 0
    assert not settings.JOBS.directory.exists()


async def test_a_key_that_is_no_text_is_refused(call):
    assert (await call(FINETUNE, r'{"model_dir": "m", "data_dir": "d", "\ud800": 1}'))[0] == 400


async def test_a_scale_beyond_all_numbers_is_refused(call):
    scales = [10**400, 1]

    status, answer = await call(
        MERGE, json.dumps({"adapter_a": "/a", "adapter_b": "/b", "scales": scales})
    )

    assert (status, "two numbers" in answer["error"]) == (400, True)
    assert len(answer["error"]) < 200


@pytest.mark.parametrize("job_id", ["%00", "%ff", "%ed%a0%80", "a" * 3000])
@pytest.mark.parametrize("path", ["/api/jobs/{}", "/api/jobs/{}/cancel"])
async def test_an_id_of_no_job_finds_none(async_client, path, job_id):
    method = async_client.post if path.endswith("cancel") else async_client.get

    assert (await method(path.format(job_id))).status_code == 404
