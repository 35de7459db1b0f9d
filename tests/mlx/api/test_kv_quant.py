"""Quantized keys and values and their budget over HTTP, on a tiny random model."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.test import AsyncClient

from hub.config import HubConfig
from hub.errors import KvQuantRefused
from hub.library import Entry
from hub.local_model import read_local_model
from hub.machine import Device, Machine
from inference import runtime
from inference.api.fit import fit_body
from inference.kv_quant import KvQuant
from inference.model_service import build
from inference.options import ServeOptions
from inference.service import GenerationService

CHAT = "/v1/chat/completions"
BUDGET_GB = 0.001
BUDGET = 1_000_000


@dataclass
class Server:
    """The service, and how to ask it. `folder` holds the model."""

    service: GenerationService
    folder: Path

    async def get(self, path: str) -> Any:
        return json.loads((await AsyncClient().get(path)).content)

    async def send(self, said: str, **fields: Any) -> tuple[int, Any]:
        body = {"messages": [{"role": "user", "content": said}], "temperature": 0, **fields}
        response = await AsyncClient().post(CHAT, json.dumps(body), content_type="application/json")
        return response.status_code, json.loads(response.content)

    async def ask(self, said: str, max_tokens: int = 30) -> tuple[str, str]:
        """Return a greedy answer and its lane."""
        status, answer = await self.send(said, max_tokens=max_tokens)
        assert status == 200, answer
        return answer["choices"][0]["message"]["content"], answer["usage"]["lane"]


@pytest.fixture
def start(tiny_checkpoint, tmp_path, monkeypatch):
    """Call with a kind of model and options; what `layers` names goes into its kv_config.json."""
    built = []

    def start(kind="wide_llama", layers=None, kv_quant="off", **options):
        folder = tmp_path / "model"
        folder.mkdir()
        for file in tiny_checkpoint(kind).iterdir():
            (folder / file.name).symlink_to(file)
        if layers is not None:
            rows = [{"layer_idx": layer, "bits": bits} for layer, bits in layers.items()]
            (folder / "kv_config.json").write_text(json.dumps(rows))
        wanted = ServeOptions(model=str(folder), kv_quant=KvQuant.parse(kv_quant), **options)
        service = build(wanted, HubConfig(models_dir=tmp_path, hf_cache_dir=tmp_path))
        built.append(service)
        monkeypatch.setattr(runtime, "_service", service)
        return Server(service, folder)

    yield start
    for service in built:
        service.close()


@pytest.mark.parametrize(
    ("options", "mode", "layers", "lane"),
    [
        ({}, "bf16", {"bf16": 2}, "batched"),
        ({"kv_quant": "8"}, "uniform-kv8", {"kv8": 2}, "serial"),
        ({"kv_quant": "turbo"}, "turbo k8v3", {"turbo-k8v3": 2}, "serial"),
        (
            {"kv_quant": "config", "layers": {0: 8, 1: 4}},
            "mixed (kv_config.json)",
            {"kv8": 1, "kv4": 1},
            "batched",
        ),
    ],
    ids=["off", "uniform", "turbo", "config"],
)
async def test_requests_take_the_lane_of_the_scheme(start, options, mode, layers, lane):
    server = start(**options)
    questions = [f"{n} questions about " + "the weather " * n for n in range(4)]
    alone = [(await server.ask(said))[0] for said in questions]

    together = await asyncio.gather(*map(server.ask, questions))

    assert [answer for answer, _lane in together] == alone
    assert {taken for _answer, taken in together} == {lane}
    async with asyncio.timeout(10):
        # An answer has ended before the engine's next step frees what it held.
        while (stats := await server.get("/stats"))["batch"]["kv_bytes"]:
            await asyncio.sleep(0.01)
    assert stats["kv_quant"] == {
        "mode": mode,
        "layers": layers,
        "attention": {"global": 2, "sliding_window": 0},
    }
    assert stats["batch"]["mode"] == ("batch" if lane == "batched" else "serial")
    assert stats["batch"]["kv_budget_bytes"] is None


async def test_windows_are_told_apart_from_what_is_quantized(start):
    server = start("wide_gemma3_text", kv_quant="4")

    kv_quant = (await server.get("/stats"))["kv_quant"]

    assert kv_quant["layers"] == {"bf16": 1, "kv4": 1}
    assert kv_quant["attention"] == {"global": 1, "sliding_window": 1}


async def test_the_banner_tells_what_was_asked_for(start):
    facts = start(kv_quant="8", kv_budget=BUDGET_GB).service.describe()

    assert ("KV cache", "uniform-kv8; layers: 2 kv8") in facts
    assert ("KV budget", "0.001 GB for all requests together") in facts
    assert ("Batch", "one request after another: so it is with these keys and values") in facts


@pytest.mark.parametrize("kv_quant", ["off", "config"])
async def test_requests_beyond_the_budget_wait_and_all_are_answered(start, kv_quant):
    server = start(kv_quant=kv_quant, layers={1: 4}, kv_budget=BUDGET_GB)
    seen = []

    async def watch():
        while True:
            seen.append((await server.get("/stats"))["batch"])
            await asyncio.sleep(0.002)

    watching = asyncio.create_task(watch())
    answers = await asyncio.gather(
        *(server.ask(f"Story {number}", 20 + 12 * number) for number in range(12))
    )
    watching.cancel()

    assert len(answers) == 12
    assert max(batch["kv_bytes"] for batch in seen) > BUDGET / 2
    assert all(batch["kv_bytes"] <= BUDGET for batch in seen)
    assert {batch["kv_budget_bytes"] for batch in seen} == {BUDGET}
    assert max(batch["pending_rows"] for batch in seen) > 0


@pytest.mark.parametrize("stream", [False, True])
async def test_a_request_that_outgrows_the_budget_alone_is_refused(start, stream):
    server = start(kv_budget=BUDGET_GB)

    status, answer = await server.send("hi", max_tokens=900, stream=stream)

    assert status == 400
    error = answer["error"]
    assert (error["type"], error["code"]) == ("memory_admission", "kv_over_budget")
    assert error["param"] == "max_tokens"
    assert "the KV budget is 0.001 GB" in error["message"]
    assert "or raise --kv-budget" in error["message"]


async def test_quantized_layers_leave_room_for_longer_answers(start):
    """Unquantized, a token takes 2,048 bytes, and the budget holds 488."""
    server = start(kv_quant="4", kv_budget=BUDGET_GB)

    status, _answer = await server.send("hi", max_tokens=700)

    assert status == 200


def test_the_fit_counts_numbers_as_they_are_kept(start):
    server = start(kv_quant="8")
    entry = Entry(read_local_model(server.folder, "tiny"), assessment=None, measured=None)

    report = fit_body(server.service.config, Machine("CPU", 2**34, Device.CPU, 10.0), entry)

    numbers = 2 * 2 * 2 * 64  # of a token: layers, keys and values, heads, dimensions
    assert report["report"]["kv_bytes"] == 1024 * numbers * (1 + 8 / 64)


async def test_a_model_that_cannot_be_quantized_so_is_not_served(start):
    with pytest.raises(KvQuantRefused, match="layer 0 has heads of 16 numbers"):
        start("llama", kv_quant="8")
