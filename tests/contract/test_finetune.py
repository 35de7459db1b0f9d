"""The routes of fine-tuning, as the pages use them; the job itself is tried elsewhere."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from jobs.models import Job
from tests.plugins.openapi import answers

JSON = "application/json"
SUBMIT, INSPECT = "/api/finetune/submit", "/api/finetune/inspect-dataset"
MERGE, EXPORT = "/api/finetune/merge", "/api/finetune/export"
Q = "model.layers.0.self_attn.q_proj"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cache(tmp_path, settings):
    settings.CACHE_DIR = tmp_path / "cache"
    return settings.CACHE_DIR


@pytest.fixture
def queued(monkeypatch):
    """Ids of jobs that were queued; none of them runs."""
    ids = []
    monkeypatch.setattr("jobs.submit.enqueue", lambda job: ids.append(job.id))
    return ids


@pytest.fixture
def call(async_client, cache):
    """Send a body; return status and answer, which must be as the OpenAPI document says."""

    async def call(path, body):
        response = await async_client.post(path, json.dumps(body), content_type=JSON)
        answer = json.loads(response.content)
        answers(path, response.status_code).validate(answer)
        return response.status_code, answer

    return call


def write_adapter(folder, rank=2, scale=3.0, base="owner/base", layer=Q):
    folder.mkdir(parents=True)
    a, b = np.ones((6, rank), np.float32), np.full((rank, 4), 0.5, np.float32)
    save_file({f"{layer}.lora_a": a, f"{layer}.lora_b": b}, folder / "adapters.safetensors")
    config = {
        "fine_tune_type": "lora",
        "num_layers": 2,
        "lora_parameters": {"rank": rank, "scale": scale, "dropout": 0.0},
        "base_model": base,
    }
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


async def test_a_run_is_queued_as_it_was_submitted(call, queued):
    body = {
        "model_dir": "/path/to/snapshot",
        "data_dir": "/path/to/dataset",
        "adapter_path": "/path/to/output-adapter",
        "method": "sft",
        "rank": 16,
        "iters": 300,
        "learning_rate": 2e-4,
        "max_seq_length": 2048,
    }

    status, answer = await call(SUBMIT, body)

    job = await Job.objects.aget(pk=answer["job_id"])
    assert (status, queued) == (200, [job.id])
    assert answer == {"ok": True, "job_id": job.id, "adapter_path": "/path/to/output-adapter"}
    assert (job.kind, json.loads(job.config_json)) == ("finetune", body)
    assert job.output_path == "/path/to/output-adapter"


async def test_every_run_gets_a_folder_of_its_own_in_the_cache(call, queued, cache):
    body = {"model_dir": "m", "data_dir": "d"}

    paths = [(await call(SUBMIT, body))[1]["adapter_path"] for _ in range(3)]

    assert len(set(paths)) == 3
    for path in paths:
        assert Path(path).parent == cache / "adapters"
        assert re.fullmatch(r"adapter-\d{8}-\d{6}(-\d)?", Path(path).name)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"model_dir": "m"},
        {"data_dir": "d"},
        {"model_dir": "m", "data_dir": None},
        {"model_dir": "m", "data_dir": " "},
        {"model_dir": 1, "data_dir": "d"},
    ],
    ids=str,
)
async def test_model_and_data_are_required(call, queued, body):
    assert await call(SUBMIT, body) == (
        400,
        {"ok": False, "error": "model_dir and data_dir required"},
    )
    assert queued == []


@pytest.mark.parametrize(
    "fields", [{"sft_scope": "all"}, {"rank": -1}, {"iters": "many"}, {"adapter_path": 7}], ids=str
)
async def test_other_faults_are_told_by_the_job(call, queued, fields):
    status, answer = await call(SUBMIT, {"model_dir": "m", "data_dir": "d", **fields})

    assert (status, answer["ok"]) == (200, True)
    assert len(queued) == 1


async def test_a_body_that_is_no_object_is_refused(async_client):
    for body in ("[]", "{", "7"):
        response = await async_client.post(SUBMIT, body, content_type=JSON)

        assert response.status_code == 400
        assert json.loads(response.content) == {"ok": False, "error": "invalid JSON body"}


async def test_data_are_inspected(call, tmp_path):
    (tmp_path / "train.jsonl").write_text('{"messages": []}\n' * 3)
    (tmp_path / "valid.jsonl").write_text('{"messages": []}\n')

    assert await call(INSPECT, {"path": str(tmp_path)}) == (
        200,
        {"ok": True, "n_train": 3, "n_valid": 1, "format": "messages"},
    )


@pytest.mark.parametrize(
    ("row", "format"),
    [
        ({"prompt": "a", "completion": "b"}, "prompt-completion"),
        ({"text": "a"}, "text"),
        ({"prompt": "a", "chosen": "b", "rejected": "c"}, "dpo"),
        ({"question": "a"}, "unknown"),
    ],
)
async def test_the_format_is_told(call, tmp_path, row, format):
    (tmp_path / "train.jsonl").write_text(json.dumps(row))

    assert (await call(INSPECT, {"path": str(tmp_path)}))[1]["format"] == format


async def test_missing_data_are_a_finding(call, tmp_path):
    assert await call(INSPECT, {"path": str(tmp_path)}) == (
        200,
        {
            "ok": False,
            "n_train": 0,
            "n_valid": 0,
            "format": "unknown",
            "error": f"{tmp_path / 'train.jsonl'} not found",
        },
    )


async def test_a_bad_line_is_a_finding(call, tmp_path):
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n{"text": \n')

    status, answer = await call(INSPECT, {"path": str(tmp_path)})

    assert (status, answer["ok"], answer["n_train"]) == (200, False, 1)
    assert answer["error"].startswith("train.jsonl line 2: not JSON")


async def test_two_adapters_are_merged(call, cache, tmp_path):
    a, b = write_adapter(tmp_path / "a"), write_adapter(tmp_path / "b", rank=1, scale=5.0)

    status, answer = await call(MERGE, {"adapter_a": str(a), "adapter_b": str(b)})

    merged = Path(answer["merged_path"])
    assert (status, answer["ok"]) == (200, True)
    assert merged.parent == cache / "adapters"
    assert re.fullmatch(r"merged-\d{8}-\d{6}(-\d)?", merged.name)
    assert answer["stats"] == {
        "layersMerged": 1,
        "layersOnlyInOne": 0,
        "totalKeysOut": 2,
        "sources": [str(a), str(b)],
        "scales": [3.0, 5.0],
    }
    tensors = load_file(merged / "adapters.safetensors")
    product = tensors[f"{Q}.lora_a"] @ tensors[f"{Q}.lora_b"]
    assert np.array_equal(product, np.full((6, 4), 3.0 * 2 * 0.5 + 5.0 * 0.5, np.float32))


async def test_scales_can_be_given(call, tmp_path):
    a, b = write_adapter(tmp_path / "a"), write_adapter(tmp_path / "b")

    _, answer = await call(MERGE, {"adapter_a": str(a), "adapter_b": str(b), "scales": [1, 0.5]})

    assert answer["stats"]["scales"] == [1.0, 0.5]


@pytest.mark.parametrize("missing", ["adapter_a", "adapter_b"])
async def test_both_adapters_are_required(call, tmp_path, missing):
    body = {"adapter_a": "a", "adapter_b": "b", missing: None}

    assert await call(MERGE, body) == (400, {"ok": False, "error": f"{missing} required"})


@pytest.mark.parametrize("scales", [[1], [1, 2, 3], "ab", [1, "2"], [1, None], {}, 5])
async def test_scales_are_two_numbers(call, tmp_path, scales):
    status, answer = await call(MERGE, {"adapter_a": "a", "adapter_b": "b", "scales": scales})

    assert status == 400
    assert "two numbers are allowed" in answer["error"]


async def test_adapters_of_different_models_are_not_merged(call, cache, tmp_path):
    a, b = write_adapter(tmp_path / "a"), write_adapter(tmp_path / "b", base="owner/other")

    status, answer = await call(MERGE, {"adapter_a": str(a), "adapter_b": str(b)})

    assert (status, answer["ok"]) == (400, False)
    assert "different models" in answer["error"]
    assert list((cache / "adapters").iterdir()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"\xff" * 8,
        b"\0\0\0\x80\0\0\0\0abcd",
        b"\x02\0\0\0\0\0\0\0{}",
        b"\x02\0\0\0\0\0\0\0{",
        b"\0" * 8,
        b"\x02\0\0",
        b"\x05\0\0\0\0\0\0\0nojsn",
        (100 * 2**20).to_bytes(8, "little") + b"[" * 1000,
    ],
)
async def test_broken_weights_are_refused(call, cache, tmp_path, content):
    """Public case se-07."""
    a, b = write_adapter(tmp_path / "a"), write_adapter(tmp_path / "b")
    (b / "adapters.safetensors").write_bytes(content)

    status, answer = await call(MERGE, {"adapter_a": str(a), "adapter_b": str(b)})

    assert (status, answer["ok"]) == (400, False)
    assert answer["error"].startswith(f"{b}: ")
    assert list((cache / "adapters").iterdir()) == []


async def test_an_adapter_is_exported(call, cache, tmp_path):
    adapter = write_adapter(tmp_path / "a")
    body = {"base_model": "owner/base", "adapter_path": str(adapter), "method": "dpo"}

    status, answer = await call(EXPORT, body)

    folder = Path(answer["export_path"])
    assert (status, answer["ok"]) == (200, True)
    assert folder.parent == cache / "exports"
    assert re.fullmatch(r"export-\d{8}-\d{6}(-\d)?", folder.name)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest == answer["manifest"]
    assert {**body, "version": 1} == {key: manifest[key] for key in (*body, "version")}
    assert re.fullmatch(r"[\d-]+T[\d:]+Z", manifest["created_at"])


@pytest.mark.parametrize("missing", ["base_model", "adapter_path"])
async def test_an_export_needs_a_model_and_an_adapter(call, missing):
    body = {"base_model": "m", "adapter_path": "a", missing: ""}

    assert await call(EXPORT, body) == (400, {"ok": False, "error": f"{missing} required"})


async def test_what_is_no_adapter_is_not_exported(call, cache, tmp_path):
    status, answer = await call(EXPORT, {"base_model": "m", "adapter_path": str(tmp_path)})

    assert (status, answer["ok"]) == (400, False)
    assert not (cache / "exports").exists() or list((cache / "exports").iterdir()) == []


@pytest.mark.parametrize("path", ["/a\0b", "/a\ud800", "~nobody-of-this-name/a", "/a" * 3000])
async def test_what_no_path_can_be_is_never_an_error_of_the_server(call, queued, path):
    bodies = {
        SUBMIT: {"model_dir": path, "data_dir": path, "adapter_path": path},
        INSPECT: {"path": path},
        MERGE: {"adapter_a": path, "adapter_b": path},
        EXPORT: {"base_model": "m", "adapter_path": path},
    }
    for route, body in bodies.items():
        status, answer = await call(route, body)

        assert status in (200, 400)
        assert answer["ok"] is (route == SUBMIT and status == 200)
