"""Reclaiming disk over HTTP."""

import json

import pytest

from hub.cached_repo import CachedRepo
from tests.plugins.openapi import answers

JSON = "application/json"
EXECUTE = "/api/gc/execute"


@pytest.fixture
def repo(hub_settings):
    """A repo with one snapshot to prune, one to skip, and a blob that nobody links."""
    repo = CachedRepo.of(hub_settings, "owner/model")
    repo.blobs.mkdir(parents=True)
    snapshots = {
        "new": {"config.json": "c", "model.safetensors": "w2"},
        "old": {"config.json": "c", "model.safetensors": "w1"},
        "odd": {"adapters.safetensors": "a"},
    }
    for commit, files in snapshots.items():
        for file, blob in files.items():
            repo.blob(blob).write_bytes(bytes(1000))
            repo.link(commit, file, blob)
    repo.blob("orphan").write_bytes(bytes(50))
    repo.write_ref("main", "new")
    return repo


async def plan(client):
    response = await client.get("/api/gc/plan")
    answer = json.loads(response.content)
    answers("/api/gc/plan", response.status_code, method="get").validate(answer)
    return answer


async def execute(client, body):
    response = await client.post(EXECUTE, body, content_type=JSON)
    answer = json.loads(response.content)
    answers(EXECUTE, response.status_code).validate(answer)
    return response.status_code, answer


async def test_the_plan_counts_what_would_go(repo, async_client):
    assert await plan(async_client) == {
        "ok": True,
        "superseded": [
            {
                "repo_id": "owner/model",
                "prune_snapshots": 1,
                "skipped_snapshots": 1,
                "dead_blobs": 2,
                "reclaim_bytes": 1050,
            }
        ],
        "reclaim_bytes": 1050,
    }


@pytest.mark.usefixtures("hub_settings")
async def test_an_empty_cache_has_an_empty_plan(async_client):
    assert await plan(async_client) == {"ok": True, "superseded": [], "reclaim_bytes": 0}


async def test_execution_deletes_the_plan_and_nothing_else(repo, async_client):
    done = await execute(async_client, {"yes": True})

    assert done == (200, {"ok": True, "snapshots": 1, "blobs": 2, "reclaimed_bytes": 1050})
    assert {place.name for place in repo.snapshots.iterdir()} == {"new", "odd"}
    assert {place.name for place in repo.blobs.iterdir()} == {"a", "c", "w2"}
    assert (await plan(async_client))["reclaim_bytes"] == 0


@pytest.mark.parametrize("body", [{}, {"yes": False}, {"yes": 1}, {"yes": "true"}, {"yes": None}])
async def test_nothing_is_deleted_without_a_clear_yes(body, repo, async_client):
    assert await execute(async_client, body) == (
        400,
        {"ok": False, "error": 'nothing was deleted: confirm with {"yes": true}'},
    )
    assert (repo.snapshots / "old").exists()


async def test_it_plans_anew_when_it_executes(repo, async_client):
    await plan(async_client)
    repo.write_ref("v1", "old")

    _, answer = await execute(async_client, {"yes": True})

    assert (answer["snapshots"], answer["blobs"]) == (0, 1)
    assert (repo.snapshots / "old" / "model.safetensors").exists()


async def test_a_cache_that_cannot_be_read_is_said_to_be(repo, async_client, monkeypatch):
    def refuse(config):
        raise PermissionError(13, "Permission denied", str(repo.cache_dir))

    monkeypatch.setattr("hub.gc.plan.cached_repos", refuse)

    for response in (
        await async_client.get("/api/gc/plan"),
        await async_client.post(EXECUTE, {"yes": True}, content_type=JSON),
    ):
        assert response.status_code == 500
        assert response.json() == {
            "ok": False,
            "error": "the Hugging Face cache cannot be read (Permission denied)",
        }


async def test_a_refused_deletion_names_no_path(repo, async_client, monkeypatch):
    def refuse(snapshot):
        raise PermissionError(13, "Permission denied", str(snapshot))

    monkeypatch.setattr("hub.gc.execute.shutil.rmtree", refuse)
    told = []
    monkeypatch.setattr("hub.library.forget", lambda: told.append("changed"))

    status, answer = await execute(async_client, {"yes": True})

    assert (status, answer["ok"]) == (500, False)
    assert "Permission denied" in answer["error"]
    assert told == ["changed"]
    assert str(repo.cache_dir) not in answer["error"]
