"""The routes over the models of this machine: fit, library, model list, the Hub page's list."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django.fixtures import Settings

from hub import library
from hub.config import HubConfig
from hub.decode_rates import record_decode_rate
from hub.errors import BrokenModel
from hub.local_model import read_local_model
from inference import runtime
from inference.api import fit
from inference.service import GenerationService
from tests.plugins.five_models import CASES, M4_PRO, USABLE, Case

pytestmark = pytest.mark.django_db(transaction=True)

MakeService = Callable[..., GenerationService]


@pytest.fixture
def config(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> HubConfig:
    """An empty cache on an M4 Pro with 24 GB."""
    settings.HUB = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")
    monkeypatch.setattr(library, "this_machine", lambda config: M4_PRO)
    monkeypatch.setattr(fit, "this_machine", lambda config: M4_PRO)
    library.forget()
    return settings.HUB


@pytest.fixture
def cache(config: HubConfig) -> Callable[[str, Case], Path]:
    """`cache("owner/name", case)` puts a model into the Hugging Face cache."""

    def put(repo_id: str, case: Case = CASES["dense"]) -> Path:
        repo = config.hf_cache_dir / f"models--{repo_id.replace('/', '--')}"
        (repo / "refs").mkdir(parents=True)
        (repo / "refs" / "main").write_text("abc123")
        case.write(repo / "snapshots" / "abc123")
        return repo / "snapshots" / "abc123"

    return put


@pytest.fixture
def served(make_service: MakeService, monkeypatch: pytest.MonkeyPatch) -> GenerationService:
    """The service that this process serves."""
    service = make_service()
    monkeypatch.setattr(runtime, "_service", service)
    return service


def serve(service: GenerationService, repo_id: str, path: Path, case: Case) -> None:
    """Have the service answer as if it had loaded this model."""
    local = read_local_model(path, repo_id)
    for target, changes in (
        (service.model, {"model_id": repo_id, "path": path, "local": local}),
        (
            service.config,
            {"weight_bytes": case.weight_bytes, "usable_bytes": USABLE, "max_context": 8192},
        ),
    ):
        for name, value in changes.items():
            object.__setattr__(target, name, value)


async def get(client: AsyncClient, path: str, status: int = 200) -> Any:
    response = await client.get(path)
    assert response.status_code == status, response.content
    return response.json()


async def test_the_library_has_each_model_with_what_it_comes_to_here(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    for number, case in enumerate(CASES.values()):
        cache(f"org/model-{number}", case)

    rows = (await get(async_client, "/library"))["models"]

    assert [row["repo_id"] for row in rows] == [f"org/model-{n}" for n in range(len(CASES))]
    for row, case in zip(rows, CASES.values(), strict=True):
        assert row["size_bytes"] == case.weight_bytes
        assert row["support_tier"] == "targeted"
        assert row["assessment"] == {
            "fits": case.fits,
            "max_safe_context": case.max_context,
            "predicted_decode_tps": pytest.approx(case.tps, abs=0.001),
        }


async def test_the_library_marks_the_served_model(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    serve(served, "org/b", cache("org/b"), CASES["dense"])
    cache("org/a")

    rows = (await get(async_client, "/library"))["models"]

    assert [(row["repo_id"], row["serving"]) for row in rows] == [("org/a", False), ("org/b", True)]


async def test_the_library_answers_while_nothing_is_served(
    async_client: AsyncClient, cache: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "_service", None)
    cache("org/a")

    [row] = (await get(async_client, "/library"))["models"]

    assert row["serving"] is False


async def test_the_library_is_kept_until_someone_asks_for_a_new_one(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    await get(async_client, "/library")
    cache("org/a")

    kept = await get(async_client, "/library")
    anew = await get(async_client, "/library?refresh=1")

    assert (kept["models"], [row["repo_id"] for row in anew["models"]]) == ([], ["org/a"])


async def test_hostile_files_are_told_apart_and_stop_nothing(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    """Public case se-07."""
    cache("org/whole")
    (cache("org/absurd") / "model.safetensors").write_bytes(b"\xff" * 8)
    nested = cache("org/nested") / "model.safetensors"
    nested.write_bytes((100_000_000).to_bytes(8, "little"))
    os.truncate(nested, 100_000_008)

    for path in ("/library", "/api/hub/local"):
        body = await get(async_client, path)

        assert [row["repo_id"] for row in body["models"]] == ["org/whole"]
        assert {row["repo_id"] for row in body["skipped"]} == {"org/absurd", "org/nested"}


async def test_a_download_under_way_is_not_listed_as_servable(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    """Public case jf-02."""
    folder = cache("org/cut")
    (folder / "model.safetensors.index.json").write_text(
        '{"weight_map": {"a": "model.safetensors", "b": "model-00002-of-00002.safetensors"}}'
    )

    body = await get(async_client, "/api/hub/local")

    assert (body["ok"], body["models"]) == (True, [])
    assert "model-00002-of-00002.safetensors" in body["skipped"][0]["reason"]


async def test_the_hub_page_reads_the_same_models(
    async_client: AsyncClient, cache: Callable[..., Path]
) -> None:
    cache("org/a")

    body = await get(async_client, "/api/hub/local")

    assert body["ok"] is True
    assert [(row["repo_id"], row["quant_group_size"]) for row in body["models"]] == [
        ("org/a", None)
    ]


async def test_models_that_could_be_served_follow_the_one_that_is(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    """Public case di-01."""
    serve(served, "org/b", cache("org/b"), CASES["dense"])
    cache("org/a")
    odd = cache("org/odd")
    (odd / "config.json").write_text('{"model_type": "bert"}')

    first, second = (await get(async_client, "/v1/models"))["data"]

    assert first["id"] == "org/b"
    assert second == {
        "id": "org/a",
        "object": "model",
        "created": first["created"],
        "vision": False,
        "tier": "targeted",
    }


@pytest.mark.parametrize("name", ["org/a", "org%2Fa"])
async def test_every_listed_model_can_be_asked_for(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService, name: str
) -> None:
    """Public case di-01."""
    cache("org/a")
    _, listed = (await get(async_client, "/v1/models"))["data"]

    found = await get(async_client, f"/v1/models/{name}")

    assert found == {**listed, "data": [listed]}
    assert "error" in await get(async_client, "/v1/models/org/c", status=404)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_fit_tells_what_the_served_model_comes_to(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService, case: Case
) -> None:
    serve(served, "org/a", cache("org/a", case), case)

    body = await get(async_client, "/fit")

    assert body["machine"] == {"chip": "M4 Pro", "ram_bytes": 24 * 2**30, "bandwidth_gbs": 273}
    assert body["report"]["fits"] is case.fits
    assert body["report"]["kv_bytes"] == case.kv_bytes
    assert body["typical_decode_tps"] == pytest.approx(case.tps, abs=0.001)
    assert body["measured_decode_tps"] is None
    assert {"sku", "ram_gb", "fits", "max_context", "decode_tps"} == set(body["sku_matrix"][0])


async def test_fit_is_told_of_a_model_whose_files_have_gone(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    folder = cache("org/a")
    serve(served, "org/a", folder, CASES["dense"])
    before = await get(async_client, "/fit")
    shutil.rmtree(folder)
    library.forget()

    assert await get(async_client, "/fit") == before


async def test_a_fault_of_the_models_is_worded_as_any_error_of_these_routes(
    async_client: AsyncClient, served: GenerationService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise BrokenModel("its config.json is not JSON")

    monkeypatch.setattr(fit, "fit_body", broken)

    error = (await get(async_client, "/fit", status=500))["error"]

    assert error == {
        "message": "its config.json is not JSON",
        "type": "api_error",
        "param": None,
        "code": "server_error",
    }


async def test_what_was_measured_is_told_by_fit_and_library(
    async_client: AsyncClient, cache: Callable[..., Path], served: GenerationService
) -> None:
    serve(served, "org/a", cache("org/a"), CASES["dense"])
    await _record("org/a", "abc123", "M4 Pro", tokens=100, seconds=2.0)

    told = await get(async_client, "/fit")
    [row] = (await get(async_client, "/library"))["models"]

    assert told["measured_decode_tps"] == 50.0
    assert told["measured_at"] > 1_700_000_000_000
    assert row["assessment"]["predicted_decode_tps"] == 50.0


async def test_fit_needs_a_service_and_takes_a_scripted_one(
    async_client: AsyncClient,
    config: HubConfig,
    served: GenerationService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (await get(async_client, "/fit"))["report"]["weights_bytes"] == 0

    monkeypatch.setattr(runtime, "_service", None)

    assert "error" in await get(async_client, "/fit", status=503)


async def _record(repo_id: str, snapshot: str, device: str, *, tokens: int, seconds: float) -> None:
    from asgiref.sync import sync_to_async

    await sync_to_async(record_decode_rate)(
        repo_id=repo_id, snapshot=snapshot, device=device, tokens=tokens, seconds=seconds
    )
