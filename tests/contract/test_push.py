"""Uploads as the pages start them, to a Hub on loopback."""

import json

import pytest
from django.utils import timezone

from jobs.models import Job, Status
from tests.plugins.openapi import answers

JSON = "application/json"
ROUTES = ["/api/quantize/push", "/api/finetune/push", "/api/dataset/push"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("hub_settings"),
    # The library hands files over in a way that its own HTTP client has grown tired of.
    pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"),
]


@pytest.fixture
def call(async_client):
    """Send a body; return status and answer, which must be as the OpenAPI document says."""

    async def call(path, body):
        response = await async_client.post(path, json.dumps(body), content_type=JSON)
        answer = json.loads(response.content)
        answers(path, response.status_code).validate(answer)
        return response.status_code, answer

    return call


@pytest.fixture
def token(settings):
    settings.HF_TOKENS.save("hf_right")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "output"
    folder.mkdir()
    (folder / "train.jsonl").write_text('{"text": "a"}\n')
    (folder / "adapters.safetensors").write_bytes(bytes(2000))
    return folder


@pytest.mark.parametrize("path", ROUTES)
async def test_a_folder_goes_to_a_repo_of_its_kind(call, token, fake_hub, folder, path):
    answer = await call(path, {"repo_id": "org/name", "source_path": str(folder)})

    key = "datasets/org/name" if path.startswith("/api/dataset") else "org/name"
    assert answer == (200, {"ok": True, "url": f"{fake_hub.url}/{key}"})
    assert sorted(fake_hub.repos[key].files) == ["adapters.safetensors", "train.jsonl"]
    assert not fake_hub.repos[key].private


async def test_the_output_of_a_job_goes_to_a_private_repo(call, token, fake_hub, folder):
    job = await Job.objects.acreate(
        kind="finetune", status=Status.DONE, output_path=str(folder), ended_at=timezone.now()
    )

    status, _ = await call(
        "/api/finetune/push", {"repo_id": "org/name", "job_id": job.id, "private": True}
    )

    assert status == 200
    assert fake_hub.repos["org/name"].private


@pytest.mark.parametrize("by_job", [True, False])
async def test_what_a_run_keeps_for_itself_is_not_published(call, token, fake_hub, folder, by_job):
    (folder / "adapter_config.json").write_text("{}")
    for name in ("checkpoints/0000050/progress.json", ".training.lock", ".adapters.safetensors"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(folder))
    job = await Job.objects.acreate(
        kind="finetune", status=Status.DONE, output_path=str(folder), ended_at=timezone.now()
    )
    source = {"job_id": job.id} if by_job else {"source_path": str(folder)}

    status, _ = await call("/api/finetune/push", {"repo_id": "org/name", **source})

    assert status == 200
    assert sorted(fake_hub.repos["org/name"].files) == [
        "adapter_config.json", "adapters.safetensors", "train.jsonl"
    ]  # fmt: skip


@pytest.mark.parametrize("path", ROUTES)
async def test_without_a_token_nothing_is_sent(call, fake_hub, folder, path):
    status, answer = await call(path, {"repo_id": "org/name", "source_path": str(folder)})

    assert (status, answer["ok"]) == (400, False)
    assert "no Hugging Face token is saved" in answer["error"]
    assert fake_hub.requests == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "repo_id required"),
        ({"repo_id": "name", "source_path": "/tmp"}, "write 'owner/name'"),
        ({"repo_id": "org/name"}, "give a source_path, or the job_id"),
        ({"repo_id": "org/name", "source_path": ""}, "give a source_path, or the job_id"),
        ({"repo_id": "org/name", "source_path": "/gone"}, "there is no folder /gone"),
        ({"repo_id": "org/name", "job_id": "job_gone"}, "there is no job 'job_gone'"),
        ({"repo_id": "org/name", "job_id": 7}, "job_id must be text"),
        ({"repo_id": "org/name", "source_path": "/gone", "private": "no"}, "private must be true"),
    ],
)
async def test_what_cannot_be_uploaded_is_told(call, token, fake_hub, body, words):
    status, answer = await call("/api/quantize/push", body)

    assert (status, answer["ok"]) == (400, False)
    assert words in answer["error"]
    assert fake_hub.requests == []


async def test_what_the_hub_says_comes_back_and_the_token_does_not(
    call, settings, fake_hub, folder, caplog
):
    settings.HF_TOKENS.save("hf_reads")

    status, answer = await call(
        "/api/quantize/push", {"repo_id": "org/name", "source_path": str(folder)}
    )

    assert status == 400
    assert "you must use a write token" in answer["error"]
    assert "hf_reads" not in answer["error"] + caplog.text


async def test_a_link_out_of_the_folder_gives_nothing_away(call, token, fake_hub, folder, tmp_path):
    (tmp_path / "secret").write_text("x")
    (folder / "notes.txt").symlink_to(tmp_path / "secret")

    status, answer = await call(
        "/api/quantize/push", {"repo_id": "org/name", "source_path": str(folder)}
    )

    assert status == 400
    assert "notes.txt is a link to a file outside" in answer["error"]
    assert fake_hub.requests == []


async def test_the_saved_token_itself_is_never_uploaded(call, token, settings, fake_hub):
    state = settings.HF_TOKENS.saved.parent

    status, answer = await call(
        "/api/quantize/push", {"repo_id": "org/name", "source_path": str(state)}
    )

    assert status == 400
    assert "holds a secret of this machine" in answer["error"]
    assert fake_hub.requests == []
