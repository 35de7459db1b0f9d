"""Search, download, watch and cancel, as the pages do it."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hub.cached_repo import CachedRepo
from hub.downloads import runtime
from hub.folders import main_snapshot
from tests.plugins.five_models import CASES
from tests.plugins.hub_model import REPO_ID, SHARD_2, SIZE, model_files
from tests.plugins.hub_settings import until
from tests.plugins.openapi import answers

JSON = "application/json"
DOWNLOAD = "/api/hub/download"

pytestmark = pytest.mark.usefixtures("hub_settings")


@pytest.fixture
def call(async_client):
    """Send a request; return status and body, which must be as the OpenAPI document says."""

    async def call(method, path, body=None):
        raw = b"" if body is None else json.dumps(body).encode()
        response = await async_client.generic(method, path, raw, content_type=JSON)
        answer = json.loads(response.content)
        told = answers(path.partition("?")[0], response.status_code, method=method.lower())
        told.validate(answer)
        return response.status_code, answer

    return call


def row():
    (status,) = runtime.get_downloads().statuses()
    return status


async def test_at_first_there_are_no_downloads(call):
    assert await call("GET", "/downloads") == (200, {"downloads": []})


async def test_a_download_is_started_and_seen_to_its_end(call, fake_hub, hub_settings):
    fake_hub.add(REPO_ID, model_files())

    started = await call("POST", DOWNLOAD, {"repo": REPO_ID})
    until(lambda: row().state == "done")
    _, answer = await call("GET", "/downloads")

    assert started == (200, {"ok": True, "repo": REPO_ID, "started": True})
    (shown,) = answer["downloads"]
    now = time.time()
    assert now - 60 < shown.pop("started_at") <= shown.pop("finished_at") <= now
    assert shown == {
        "repo_id": REPO_ID,
        "state": "done",
        "current_file": None,
        "received_bytes": SIZE,
        "total_bytes": SIZE,
        "files_done": 4,
        "files_total": 4,
        "bytes_per_sec": 0,
    }
    assert main_snapshot(CachedRepo.of(hub_settings, REPO_ID).folder).is_dir()


@pytest.mark.django_db(transaction=True)
async def test_a_model_is_listed_once_it_is_whole_and_at_once(call, fake_hub, tmp_path):
    """Public case jf-02."""
    replace(CASES["dense"], weight_bytes=1000).write(tmp_path / "published")
    files = {path.name: path.read_bytes() for path in (tmp_path / "published").iterdir()}
    fake_hub.add(REPO_ID, files)
    fault = fake_hub.fail("model.safetensors", hold_at=1)

    await call("POST", DOWNLOAD, {"repo": REPO_ID})
    until(fault.held.is_set)
    _, before = await call("GET", "/api/hub/local")
    fault.release.set()
    until(lambda: row().state == "done")
    _, after = await call("GET", "/api/hub/local")

    assert before["models"] == []
    assert [model["repo_id"] for model in after["models"]] == [REPO_ID]
    assert after["models"][0]["supported"]


async def test_a_download_under_way_shows_where_it_is(call, fake_hub):
    fake_hub.add(REPO_ID, model_files())
    fake_hub.fail(SHARD_2, hold_at=100_000)

    await call("POST", DOWNLOAD, {"repo": REPO_ID})
    until(lambda: row().received_bytes >= SIZE - 100_000)
    _, answer = await call("GET", "/downloads")

    (shown,) = answer["downloads"]
    assert (shown["state"], shown["finished_at"]) == ("active", None)
    assert shown["current_file"] == SHARD_2
    assert (shown["received_bytes"], shown["total_bytes"]) == (SIZE - 100_000, SIZE)
    assert (shown["files_done"], shown["files_total"]) == (3, 4)
    assert shown["bytes_per_sec"] > 0


async def test_a_failed_download_says_why_and_names_no_path(call, fake_hub, hub_settings):
    """Public case jf-02."""
    fake_hub.add(REPO_ID, model_files())
    fake_hub.fail(SHARD_2, cut_at=80_000)

    await call("POST", DOWNLOAD, {"repo": REPO_ID})
    until(lambda: row().state == "error")
    _, answer = await call("GET", "/downloads")

    (shown,) = answer["downloads"]
    assert shown["error"].startswith("the Hub cannot be reached")
    assert str(hub_settings.hf_cache_dir) not in json.dumps(answer)


async def test_the_hint_for_a_gated_repo_reaches_the_page(call, fake_hub):
    fake_hub.add(REPO_ID, model_files(), gated=True)

    await call("POST", DOWNLOAD, {"repo": REPO_ID})
    until(lambda: row().state == "error")

    assert row().error == (
        f"{REPO_ID} is gated: accept its terms at {fake_hub.url}/{REPO_ID}, "
        "then save a token that may read it, in the settings or in HF_TOKEN"
    )


async def test_a_second_start_of_the_same_repo_is_a_conflict(call, fake_hub):
    """Public case jf-02."""
    fake_hub.add(REPO_ID, model_files())
    fake_hub.fail(SHARD_2, hold_at=1)
    await call("POST", DOWNLOAD, {"repo": REPO_ID})

    assert await call("POST", DOWNLOAD, {"repo": REPO_ID}) == (
        409,
        {"ok": False, "error": "a download for owner/model is already in progress"},
    )


async def test_a_download_can_be_cancelled_once(call, fake_hub):
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=100_000)
    await call("POST", DOWNLOAD, {"repo": REPO_ID})
    until(lambda: row().received_bytes >= SIZE - 100_000)

    cancelled = await call("DELETE", DOWNLOAD, {"repo": REPO_ID})
    fault.release.set()
    until(lambda: row().state == "error")

    assert cancelled == (200, {"ok": True, "repo": REPO_ID, "cancelled": True})
    assert row().error == "cancelled; downloading again goes on where it stopped"
    assert await call("DELETE", DOWNLOAD, {"repo": REPO_ID}) == (
        404,
        {"ok": False, "error": "no download for owner/model is in progress"},
    )


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize(
    "body", [None, {}, {"repo": ""}, {"repo": " "}, {"repo": 7}, {"repo": None}]
)
async def test_a_download_needs_a_repo(method, body, call):
    assert await call(method, DOWNLOAD, body) == (400, {"ok": False, "error": "repo required"})


@pytest.mark.parametrize("repo", ["model", "../../etc", "a/b/c", "a/../b", "/etc/passwd", "a/b\0"])
async def test_a_repo_that_is_none_is_refused(repo, call, hub_settings):
    status, answer = await call("POST", DOWNLOAD, {"repo": repo})

    assert (status, answer["ok"]) == (400, False)
    assert answer["error"].endswith("is not the name of a repo: write 'owner/name'")
    assert not hub_settings.hf_cache_dir.exists()


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("path", [DOWNLOAD, "/api/hub/serve", "/api/gc/execute"])
async def test_a_body_that_is_no_object_is_refused(body, path, async_client):
    response = await async_client.post(path, body, content_type=JSON)

    assert response.status_code == 400
    assert json.loads(response.content) == {"ok": False, "error": "invalid JSON body"}


async def test_a_body_beyond_the_limit_is_refused_in_the_same_form(async_client, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10

    response = await async_client.post(DOWNLOAD, b"x" * 11, content_type=JSON)

    assert response.status_code == 413
    assert json.loads(response.content) == {"ok": False, "error": "request body is too large"}


async def test_a_cache_that_cannot_be_written_is_told_without_its_path(call, hub_settings):
    hub_settings.hf_cache_dir.parent.mkdir(parents=True)
    Path(hub_settings.hf_cache_dir).write_text("a file where a folder should be")

    status, answer = await call("POST", DOWNLOAD, {"repo": REPO_ID})

    assert status == 500
    assert answer["error"] == "the Hugging Face cache cannot be written (Not a directory)"


async def test_a_fault_of_ours_is_told_in_the_same_form(async_client, monkeypatch):
    monkeypatch.setattr(runtime.get_downloads(), "latest", lambda: 1 / 0)

    response = await async_client.get("/downloads")

    assert response.status_code == 500
    assert json.loads(response.content) == {"ok": False, "error": "internal server error"}


async def test_search_finds_models_in_mlx_format(call, fake_hub):
    fake_hub.add("mlx-community/Qwen3-4bit", {})
    fake_hub.add("Qwen/Qwen3", {}, tags=())

    assert await call("GET", "/api/hub/search?q=qwen") == (
        200,
        {
            "ok": True,
            "offline": False,
            "results": [
                {
                    "id": "mlx-community/Qwen3-4bit",
                    "downloads": 7,
                    "likes": 3,
                    "size_estimate": None,
                }
            ],
        },
    )


async def test_search_without_a_match_is_empty(call):
    assert await call("GET", "/api/hub/search?q=x") == (
        200,
        {"ok": True, "offline": False, "results": []},
    )


@pytest.mark.parametrize("query", ["", "?q=", "?q=%20", "?Q=qwen"])
async def test_search_needs_a_query(query, call):
    assert await call("GET", f"/api/hub/search{query}") == (
        400,
        {"ok": False, "error": "q is required"},
    )


async def test_a_query_has_a_longest_length(call):
    assert await call("GET", f"/api/hub/search?q={'x' * 201}") == (
        400,
        {"ok": False, "error": "q has 201 characters, and 200 are allowed"},
    )


async def test_search_tells_when_the_hub_is_out_of_order(call, fake_hub):
    fake_hub.down = True

    assert await call("GET", "/api/hub/search?q=qwen") == (
        200,
        {"ok": True, "offline": True, "error": "the Hub answered 503", "results": []},
    )


async def test_search_tells_when_the_hub_cannot_be_reached(call, fake_hub):
    fake_hub.stop()

    status, answer = await call("GET", "/api/hub/search?q=qwen")

    assert (status, answer["ok"], answer["offline"], answer["results"]) == (200, True, True, [])
    assert answer["error"].startswith("the Hub cannot be reached: ")


async def test_five_are_listed_and_those_that_fetch_before_newer_ones_that_wait(call, fake_hub):
    fault = fake_hub.fail("model.safetensors", hold_at=1)
    names = [f"a/{number}" for number in range(7)]
    for name in names:
        fake_hub.add(name, {"config.json": b"{}", "model.safetensors": b"weights"})
        await call("POST", DOWNLOAD, {"repo": name})
        if name in names[:2]:
            until(lambda: all(told.current_file for told in runtime.get_downloads().statuses()))

    _, listed = await call("GET", "/downloads")
    cancelled = await call("DELETE", DOWNLOAD, {"repo": "a/0"})
    fault.release.set()

    assert [row["repo_id"] for row in listed["downloads"]] == ["a/1", "a/0", "a/6", "a/5", "a/4"]
    assert [row["current_file"] is None for row in listed["downloads"]] == [False] * 2 + [True] * 3
    assert cancelled[0] == 200
