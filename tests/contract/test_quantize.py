"""The routes of quantization, as the pages use them; the job itself is tried elsewhere."""

import hashlib
import json

import pytest

from hub.config import HubConfig
from jobs.models import Job
from tests.plugins.five_models import CASES
from tests.plugins.openapi import answers

JSON = "application/json"
INSPECT, SUBMIT = "/api/quantize/inspect", "/api/quantize/submit"
RESOLVE = ["/api/quantize/resolve-folder", "/api/model/resolve-folder"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hub(tmp_path, settings):
    settings.CACHE_DIR, settings.STATE_DIR = tmp_path / "cache", tmp_path / "state"
    settings.HUB = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")
    return settings.HUB


@pytest.fixture
def queued(monkeypatch):
    """Ids of jobs that were queued; none of them runs."""
    ids = []
    monkeypatch.setattr("jobs.submit.enqueue", lambda job: ids.append(job.id))
    return ids


@pytest.fixture
def call(async_client, hub):
    """Send a body; return status and answer, which must be as the OpenAPI document says."""

    async def call(path, body):
        response = await async_client.post(path, json.dumps(body), content_type=JSON)
        answer = json.loads(response.content)
        answers(path, response.status_code).validate(answer)
        return response.status_code, answer

    return call


def write_cached(hub, repo_id="org/name", **changes):
    repo = hub.hf_cache_dir / f"models--{repo_id.replace('/', '--')}"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text("abc123")
    CASES["dense"].write(repo / "snapshots" / "abc123")
    config = repo / "snapshots" / "abc123" / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **changes}))
    return repo / "snapshots" / "abc123"


async def test_a_model_is_inspected_by_repo_id_or_folder(call, hub):
    folder = write_cached(hub)

    for model_id in ("org/name", str(folder)):
        assert await call(INSPECT, {"model_id": model_id}) == (
            200,
            {"ok": True, "model_id": model_id, "arch": "llama", "support": True, "size_gb": 4.5},
        )


async def test_a_model_that_cannot_be_quantized_says_why(call, hub):
    write_cached(hub, model_type="unheard_of")

    status, answer = await call(INSPECT, {"model_id": "org/name"})

    assert (status, answer["ok"], answer["support"]) == (200, True, False)
    assert "unheard_of" in answer["reason"]


async def test_what_is_no_model_is_told_with_status_200(call, hub, tmp_path):
    for model_id in ("org/absent", "/gone", str(tmp_path)):
        status, answer = await call(INSPECT, {"model_id": model_id})

        assert status == 200
        assert answer.pop("error")
        assert answer == {
            "ok": False, "model_id": model_id, "arch": None, "support": False, "size_gb": 0.0
        }  # fmt: skip


@pytest.mark.parametrize(
    "content",
    [
        b"\xff" * 8,
        b"\0\0\0\x80\0\0\0\0abcd",
        b"\x02\0\0\0\0\0\0\0{",
        b"\0" * 8,
        b"\x02\0\0",
        b"\x05\0\0\0\0\0\0\0nojsn",
    ],
)
async def test_broken_weights_are_a_finding_about_their_model_alone(call, hub, content):
    """Public case se-07."""
    (write_cached(hub) / "model.safetensors").write_bytes(content)
    write_cached(hub, "org/other")

    status, answer = await call(INSPECT, {"model_id": "org/name"})
    _, other = await call(INSPECT, {"model_id": "org/other"})

    assert (status, answer["ok"], other["ok"]) == (200, False, True)


async def test_weights_without_a_tensor_are_no_fault_of_the_server(call, hub):
    """Public case se-07, the valid file that is empty."""
    (write_cached(hub) / "model.safetensors").write_bytes(b"\x02\0\0\0\0\0\0\0{}")

    status, answer = await call(INSPECT, {"model_id": "org/name"})

    assert (status, answer["size_gb"]) == (200, 0.0)


@pytest.mark.parametrize("path", [INSPECT, SUBMIT])
@pytest.mark.parametrize("body", [{}, {"model_id": None}, {"model_id": " "}, {"model_id": 7}])
async def test_a_model_id_is_required(call, path, body):
    assert await call(path, body) == (400, {"ok": False, "error": "model_id required"})


async def test_a_job_is_queued_and_its_output_named(call, hub, queued):
    write_cached(hub)
    body = {"model_id": "org/name", "bits": 8, "group_size": 32}

    status, answer = await call(SUBMIT, body)

    commit = hashlib.sha1(b"org/name-OptiQ-8bit").hexdigest()
    output = hub.hf_cache_dir / "models--org--name-OptiQ-8bit" / "snapshots" / commit
    job = await Job.objects.aget(pk=answer["job_id"])
    assert (status, answer) == (
        200,
        {"ok": True, "job_id": queued[0], "output_dir": str(output)},
    )
    assert (job.kind, json.loads(job.config_json)) == ("quantize", body)
    assert job.output_path == str(output)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"model_id": "org/name", "target_bpw": 3.5, "bits": 8}, "org--name-OptiQ-mixed-3.5bpw"),
        (
            {"model_id": "org/name", "target_bpw": 5, "candidate_bits": [4, 8]},
            "org--name-OptiQ-mixed-5bpw",
        ),
        ({"model_id": "org/name", "rotate_weights": True}, "org--name-OptiQ-4bit-rot42"),
        ({"model_id": "nam", "rotation_seed": 1}, "org--name-OptiQ-4bit"),
        ({"model_id": "org/absent"}, "org--absent-OptiQ-4bit"),
        ({"model_id": "/somewhere/my model"}, "local--mymodel-OptiQ-4bit"),
    ],
)
async def test_the_output_is_named_after_source_and_widths(call, hub, queued, body, name):
    write_cached(hub)

    _, answer = await call(SUBMIT, body)

    assert f"/models--{name}/snapshots/" in answer["output_dir"]


@pytest.mark.parametrize(
    "fields",
    [
        {"bits": 5.5},
        {"group_size": 48},
        {"target_bpw": 3, "candidate_bits": [4, 8]},
        {"candidate_bits": [1]},
        {"calibration_mix": "poems"},
        {"n_calibration": "many"},
        {"rotate_weights": "yes"},
        {"rotation_seed": -1},
    ],
)
async def test_a_wrong_field_is_refused_before_there_is_a_job(call, queued, fields):
    status, answer = await call(SUBMIT, {"model_id": "org/name", **fields})

    assert (status, answer["ok"], queued) == (400, False, [])
    assert next(iter(fields)) in answer["error"]


@pytest.mark.parametrize("path", RESOLVE)
async def test_a_picked_folder_is_found_by_its_name(call, hub, path):
    folder = write_cached(hub)
    body = {
        "folder_name": "models--org--name",
        "rel_path": "models--org--name/snapshots/abc123/config.json",
    }

    assert await call(path, body) == (
        200,
        {"ok": True, "path": str(folder), "repo_id": "org/name", "model_type": "llama"},
    )


@pytest.mark.parametrize("path", RESOLVE)
@pytest.mark.parametrize("body", [{}, {"folder_name": "gone"}, {"folder_name": 7, "rel_path": []}])
async def test_a_folder_that_is_nowhere_is_told_with_status_200(call, path, body):
    error = "Couldn't locate this folder on disk — paste the path instead."

    assert await call(path, body) == (200, {"ok": False, "error": error})


@pytest.mark.parametrize("path", [INSPECT, SUBMIT, *RESOLVE])
async def test_a_body_that_is_no_object_is_refused(async_client, hub, path):
    for raw in ("[]", "nonsense", '"text"'):
        response = await async_client.post(path, raw, content_type=JSON)

        assert response.status_code == 400
        assert json.loads(response.content) == {"ok": False, "error": "invalid JSON body"}
