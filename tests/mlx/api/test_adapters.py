"""Adapters over HTTP, on a tiny random model behind the whole server but its socket."""

import asyncio
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.test import AsyncClient

from hub.config import HubConfig
from inference import runtime
from inference.adapters.target import LayerKind, Target
from inference.engine.adapters.targets import find_targets
from inference.errors import InvalidRequest
from inference.model_service import build
from inference.options import ServeOptions
from inference.service import GenerationService
from tests.plugins.adapters import random_factors, write_adapter, write_config
from tests.plugins.hostile_adapters import hostile_folder
from tests.plugins.openapi import answers

JSON = "application/json"
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
PREFIX = "LONG PREFIX " * 40 + "x"
HOSTILE = 24


@pytest.fixture(scope="module")
def targets(tiny_model) -> dict[str, Target]:
    found = find_targets(tiny_model("llama").model)
    return {p: t for p, t in found.items() if t.kind is LayerKind.LINEAR}


@dataclass
class Server:
    """Services over the tiny model, one of which answers at a time."""

    model: Path
    hub: HubConfig
    patch: Any
    built: list[GenerationService] = field(default_factory=list)

    def start(self, **options: Any) -> GenerationService:
        service = build(ServeOptions(model=str(self.model), **options), self.hub)
        self.built.append(service)
        self.patch.setattr(runtime, "_service", service)
        return service

    async def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        raw = b"" if body is None else json.dumps(body).encode()
        response = await AsyncClient().generic(method, path, raw, content_type=JSON)
        assert response.status_code < 500, response.content
        return response.status_code, json.loads(response.content)

    async def mount(self, name: str, path: Path) -> tuple[int, Any]:
        return await self.call("POST", "/v1/adapters", {"id": name, "path": str(path)})

    async def mounted(self) -> list[str]:
        return [row["id"] for row in (await self.call("GET", "/v1/adapters"))[1]["adapters"]]

    async def ask(self, adapter: str | None = None, said: str = "hi", **fields: Any) -> Any:
        """The whole greedy answer of a chat; without `adapter`, none is named."""
        chosen = {} if adapter is None else {"adapter": adapter}
        messages = [{"role": "user", "content": said}]
        wanted = {"messages": messages, "temperature": 0, "max_tokens": 12, **chosen, **fields}
        status, answer = await self.call("POST", CHAT, wanted)
        assert status == 200, answer
        return answer

    async def say(self, *asked: Any, **fields: Any) -> str:
        answer = await self.ask(*asked, **fields)
        return str(answer["choices"][0]["message"]["content"])


@pytest.fixture
def server(tiny_checkpoint, tmp_path, monkeypatch, settings) -> Iterator[Server]:
    hub = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")
    settings.HUB = hub
    made = Server(tiny_checkpoint("llama"), hub, monkeypatch)
    yield made
    for service in made.built:
        service.close()


@pytest.fixture
def folders(tmp_path, targets) -> dict[str, Path]:
    """Two adapters that change what is said, each in its own way."""
    return {
        name: write_adapter(tmp_path / "cache" / "adapters" / name, targets, seed=seed)
        for seed, name in enumerate("ab", 1)
    }


def message_of(answer):
    status, body = answer
    assert status == 400, body
    answers("/v1/adapters", 400).validate(body)
    return body["error"]["message"]


async def test_an_adapter_is_mounted_listed_and_unmounted(server, folders, targets):
    server.start()
    size_in_memory = sum(array.nbytes for array in random_factors(targets, 4, 1).values())

    status, mounted = await server.mount("mine", folders["a"])
    _, listed = await server.call("GET", "/v1/adapters")
    removed = await server.call("DELETE", "/v1/adapters/mine")

    facts = {"id": "mine", "mounted_layers": 15, "rank": 4, "scale": 2.0}
    facts["ram_bytes"] = size_in_memory
    assert (status, mounted) == (200, facts)
    size = (folders["a"] / "adapters.safetensors").stat().st_size
    assert listed == {"adapters": [{**facts, "path": str(folders["a"]), "size_bytes": size}]}
    assert removed == (200, {"id": "mine", "removed_layers": 15})
    assert await server.call("DELETE", "/v1/adapters/mine") == (
        404,
        {"error": {"message": "adapter mine not mounted"}},
    )
    assert await server.call("GET", "/v1/adapters") == (200, {"adapters": []})
    for method, path, status, body in (
        ("post", "/v1/adapters", 200, mounted),
        ("get", "/v1/adapters", 200, listed),
        ("delete", "/v1/adapters/{adapter_id}", 200, removed[1]),
    ):
        answers(path, status, method=method).validate(body)


async def test_what_lies_on_disk_is_available_be_it_mounted_or_for_another_model(
    server, folders, targets, tmp_path
):
    service = server.start()
    finetunes = tmp_path / "cache-finetunes"
    write_adapter(finetunes / "own", targets, rank=2, base_model=f"x/{service.model.model_id}")
    write_adapter(finetunes / "others", targets, base_model="x/another")
    for name, text in {"broken": "{", ".hidden": "{}"}.items():
        (finetunes / name).mkdir()
        (finetunes / name / "adapter_config.json").write_text(text)
    (finetunes / "no adapter").mkdir()
    await server.mount("renamed", folders["a"])

    status, found = await server.call("GET", "/v1/adapters/available")

    rows = {row["id"]: row for row in found["adapters"]}
    assert status == 200
    assert list(rows) == ["broken", "others", "own", "a", "b"]
    assert rows["own"] == {
        "id": "own",
        "path": str(finetunes / "own"),
        "rank": 2,
        "scale": 2.0,
        "base_model": f"x/{service.model.model_id}",
        "mounted": False,
        "compatible": True,
    }
    assert {name: row["mounted"] for name, row in rows.items() if row["mounted"]} == {"a": True}
    assert [name for name, row in rows.items() if not row["compatible"]] == ["broken", "others"]
    assert rows["broken"]["rank"] is None
    answers("/v1/adapters/available", 200, method="get").validate(found)


async def test_what_cannot_be_mounted_is_refused_and_changes_nothing(
    server, folders, targets, tmp_path
):
    """Public case jf-04."""
    server.start()
    plain = await server.say()
    bare = write_adapter(tmp_path / "bare", targets)
    (bare / "adapter_config.json").unlink()
    wide = write_adapter(tmp_path / "wide", targets, rank=16)
    write_config(wide, {"lora_parameters": {"rank": 8, "scale": 1.0}})
    deep = {path.replace(".1.", ".7."): target for path, target in targets.items()}
    (tmp_path / "empty").mkdir()

    for body in ({"id": "a"}, {"path": "p"}, {"id": "", "path": "p"}, {"id": 1, "path": "p"}, {}):
        told = message_of(await server.call("POST", "/v1/adapters", body))
        assert told == "id and path required"
    refused = [
        message_of(await server.mount(name, path))
        for name, path in [
            ("a", tmp_path / "empty"),
            ("a", bare),
            ("a", wide),
            ("a", write_adapter(tmp_path / "deep", deep)),
            ("a", write_adapter(tmp_path / "other", targets, base_model="org/other")),
            ("a+b", folders["a"]),
            ("none", folders["a"]),
        ]
    ]
    named = ["adapters.safetensors", "adapter_config.json", "lora_a has shape", "layers.7."]
    named += ["org/other", "may hold none of", "reserved"]
    assert [name in told for name, told in zip(named, refused, strict=True)] == [True] * 7
    assert not any(str(tmp_path) in told for told in refused)
    assert await server.mounted() == []
    assert await server.say() == plain

    assert (await server.mount("a", folders["a"]))[1]["mounted_layers"] == 15
    first = await server.say("a")
    assert (await server.mount("a", folders["b"]))[0] == 200
    assert await server.mounted() == ["a"]
    assert await server.say("a") != first


async def test_the_default_counts_for_what_is_read_off_the_next_token_too(server, folders):
    async def read():
        status, answer = await server.call("POST", "/signal", {"prompt": "hi"})
        assert status == 200
        return answer["bins"]

    server.start()
    plain = await read()
    server.start(adapter=str(folders["a"]))
    adapted = await read()
    await server.call("DELETE", "/v1/adapters/a")

    assert adapted != plain
    assert sum(adapted) == sum(plain)
    assert await read() == plain


async def test_hostile_folders_leave_nothing_mounted(server, targets, tmp_path):
    """Public case se-07, and its kind."""
    server.start()
    numbers = random.Random(3)

    for index in range(HOSTILE):
        folder = hostile_folder(tmp_path / f"h{index}", targets, numbers)
        told = message_of(await server.mount("a", folder))
        assert told.startswith("adapter 'a' cannot be mounted: ")
        assert str(tmp_path) not in told

    assert await server.mounted() == []


@pytest.mark.parametrize("path", ["a\0b", "\ud800", "~nobody-here/x", "http://a/b", "x" * 5000])
async def test_a_path_that_is_no_folder_is_refused(path, server):
    server.start()

    assert "cannot be mounted" in message_of(await server.mount("a", path))


@pytest.mark.parametrize("path", ["..%2F..%2Fx", "%2e%2e", "a%00", "available", "%ff"])
async def test_an_unmount_reaches_no_further_than_the_mounted(path, server):
    """Public case se-04, in part."""
    server.start()

    status, _ = await server.call("DELETE", f"/v1/adapters/{path}")

    assert status in (404, 405)


async def test_every_adapter_answers_as_on_a_server_of_its_own(server, folders):
    """Public case cb-03."""
    fields = {"said": PREFIX, "max_tokens": 8, "logprobs": True}
    chosen = ("a", "b", "none", "a+b")
    fresh = {}
    for adapter in chosen:
        server.start()
        for name, path in folders.items():
            await server.mount(name, path)
        fresh[adapter] = await server.ask(adapter, **fields)
    server.start()
    for name, path in folders.items():
        await server.mount(name, path)

    first = {adapter: await server.ask(adapter, **fields) for adapter in chosen}
    again = {adapter: await server.ask(adapter, **fields) for adapter in chosen}
    at_once = await asyncio.gather(*(server.ask(a, **fields) for a in [*chosen, *chosen[::-1]]))

    def content(answer):
        choice = answer["choices"][0]
        probabilities = [round(token["logprob"], 4) for token in choice["logprobs"]["content"]]
        return choice["message"]["content"], probabilities

    assert len({content(answer)[0] for answer in fresh.values()}) == 4
    for adapter in chosen:
        assert content(first[adapter]) == content(fresh[adapter]) == content(again[adapter])
        assert cached(first[adapter]) == 0
        assert cached(again[adapter]) > 400
    for adapter, answer in zip([*chosen, *chosen[::-1]], at_once, strict=True):
        assert content(answer) == content(fresh[adapter])
    status, refused = await server.call(
        "POST", CHAT, {"messages": [{"role": "user", "content": "x"}], "adapter": "missing"}
    )
    assert status == 400
    assert "'missing'" in refused["error"]["message"]
    assert refused["error"]["param"] == "adapter"


def cached(answer):
    return answer["usage"]["prompt_tokens_details"]["cached_tokens"]


async def test_keys_and_values_of_other_weights_are_not_reused_under_the_same_id(server, folders):
    server.start()
    await server.mount("x", folders["a"])
    await server.ask("x", PREFIX)
    await server.mount("x", folders["b"])
    assert cached(await server.ask("x", PREFIX)) == 0

    await server.mount("x", folders["a"])

    assert cached(await server.ask("x", PREFIX)) > 400


async def test_every_protocol_chooses_adapters_by_the_same_field(server, folders):
    server.start()
    for name, path in folders.items():
        await server.mount(name, path)
    said = {"role": "user", "content": "hi"}
    common = {"temperature": 0, "max_tokens": 12}
    routes = {
        CHAT: ({"messages": [said]}, lambda body: body["choices"][0]["message"]["content"]),
        TEXT: ({"prompt": "hi"}, lambda body: body["choices"][0]["text"]),
        "/v1/messages": ({"messages": [said]}, lambda body: body["content"][0]["text"]),
        "/v1/responses": ({"input": "hi"}, lambda body: body["output"][0]["content"][0]["text"]),
    }

    for path, (prompt, text_of) in routes.items():
        texts = []
        for adapter in ({}, {"adapter": "a"}, {"adapter": "b"}, {"adapter": "a,b"}):
            status, body = await server.call("POST", path, {**prompt, **common, **adapter})
            assert status == 200
            texts.append(text_of(body))
        assert len(set(texts)) == 4, path
        for missing in ("c", "a+c"):
            status, body = await server.call("POST", path, {**prompt, "adapter": missing})
            assert status == 400
            assert "unknown adapter 'c'" in body["error"]["message"]


async def test_the_adapter_of_the_start_is_the_default_and_none_goes_without(server, folders):
    server.start()
    plain = await server.say()
    await server.mount("b", folders["b"])
    by_b = await server.say("b")
    service = server.start(adapter=str(folders["a"]))
    assert dict(service.describe())["Adapter"].startswith("a: rank 4 on 15 layers")
    await server.mount("b", folders["b"])

    by_a = await server.say()
    assert await server.say("a") == by_a != plain
    assert [await server.say(name) for name in ("none", "", "b")] == [plain, plain, by_b]
    assert await server.mounted() == ["a", "b"]

    await server.call("DELETE", "/v1/adapters/a")
    assert await server.say() == plain
    await server.mount("a", folders["b"])
    assert await server.say() == by_b


def test_a_bad_adapter_stops_the_start(server, tmp_path):
    (tmp_path / "empty").mkdir()

    with pytest.raises(InvalidRequest, match=r"neither adapters\.safetensors nor"):
        server.start(adapter=str(tmp_path / "empty"))


def test_a_name_that_no_request_could_choose_stops_the_start(server, folders):
    folders["a"].rename(folders["a"].with_name("a+b"))

    with pytest.raises(InvalidRequest, match="may hold none of"):
        server.start(adapter=str(folders["a"].with_name("a+b")))


async def test_adapters_are_answered_in_the_serial_lane(server, folders):
    server.start(batch=8)
    await server.mount("a", folders["a"])

    at_once = await asyncio.gather(*(server.ask(name) for name in ["none", "none", "a", "a"] * 2))

    lanes = [answer["usage"]["lane"] for answer in at_once]
    assert lanes[2::4] + lanes[3::4] == ["serial"] * 4
    assert "batched" in lanes


async def test_a_stream_takes_an_adapter_as_well(server, folders):
    server.start()
    await server.mount("a", folders["a"])
    body = {"messages": [{"role": "user", "content": "hi"}], "temperature": 0, "max_tokens": 12}

    response = await AsyncClient().generic(
        "POST", CHAT, json.dumps({**body, "adapter": "a", "stream": True}), content_type=JSON
    )
    lines = b"".join([part async for part in response.streaming_content]).decode().split("\n")

    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    text = "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"])
    assert text == await server.say("a")


async def test_requests_that_run_or_wait_keep_an_adapter_that_is_unmounted(server, folders):
    service = server.start()
    await server.mount("a", folders["a"])
    expected = await server.say("a", max_tokens=200)
    asked = [asyncio.create_task(server.say("a", max_tokens=200)) for _ in range(6)]
    while service.stats().pending < 3:
        await asyncio.sleep(0.001)

    status, _ = await server.call("DELETE", "/v1/adapters/a")
    assert status == 200
    assert not any(task.done() for task in asked[3:])
    late, _ = await server.call("POST", TEXT, {"prompt": "hi", "adapter": "a"})
    await server.mount("a", folders["b"])
    renewed = await server.say("a", max_tokens=200)

    assert late == 400
    assert await asyncio.gather(*asked) == [expected] * 6
    assert renewed != expected


async def test_of_mounts_of_one_id_at_once_one_wins_whole(server, folders):
    server.start()
    by = {}
    for name, path in folders.items():
        await server.mount(name, path)
        by[name] = await server.say(name)

    mounts = [server.mount("x", folders[name]) for name in "abababab"]
    statuses = [status for status, _ in await asyncio.gather(*mounts)]

    assert statuses == [200] * 8
    assert await server.mounted() == ["a", "b", "x"]
    assert await server.say("x") in by.values()


async def test_a_model_tells_that_it_takes_adapters(server):
    server.start()

    _, listed = await server.call("GET", "/v1/models")

    assert listed["data"][0]["adapters"] is listed["data"][0]["capabilities"]["adapters"] is True


async def test_a_closed_service_holds_no_adapter_and_refuses_to_mount(server, folders):
    service = server.start(adapter=str(folders["a"]))
    service.close()

    assert service.adapters.mounted == []
    with pytest.raises(InvalidRequest, match="takes no adapters"):
        await service.adapters.mount("b", str(folders["b"]))
