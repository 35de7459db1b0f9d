"""`GET /v1/memory/synthesize`, with a scripted model behind the real service."""

import json
from dataclasses import replace

import pytest

from hub.file_lock import FileLock
from inference import runtime
from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN
from memory.config import VaultConfig
from memory.synthesis.config import SynthesisConfig
from memory.synthesis.current import LOCK
from memory.synthesis.events import STAGES
from memory.vault import Vault
from tests.plugins.synthesis import Memory

URL = "/v1/memory/synthesize"


@pytest.fixture
def wiki(tmp_path, settings, transactional_db):
    memory = Memory(tmp_path / "wiki", ["Atlas", "Borealis"])
    memory.chats.tell("one", "Atlas runs on MySQL for now", "Noted.", day=1)
    memory.chats.tell("two", "Atlas serves the maps of Borealis", "I see.", day=2)
    settings.VAULT = memory.vault
    settings.SYNTHESIS = SynthesisConfig(sources=(memory.chats,))
    return memory


@pytest.fixture
def model(wiki, make_service, monkeypatch):
    """Serves the rules of the memory, as a model would."""

    def script(sequence):
        prompt = bytes(sequence.prompt).decode()
        asked = prompt.rpartition("<user>")[2].partition("\n<assistant>")[0]
        return [*wiki.rules(asked).encode(), END_OF_TURN]

    limits = {"max_context": 100_000, "context_window": 100_000}
    service = make_service(runner=ScriptedRunner(script), **limits)
    monkeypatch.setattr(runtime, "_service", service)
    return service


async def read(client, url=URL, **headers):
    """Return the data of all events, and whether `[DONE]` ended them."""
    answer = await client.get(url, headers=headers)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/event-stream")
    text = "".join([part.decode() async for part in answer.streaming_content])
    data = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    is_done = data[-1] == "[DONE]"
    return [json.loads(each) for each in (data[:-1] if is_done else data)], is_done


async def test_a_run_tells_its_stages_and_ends_with_a_summary(wiki, model, async_client):
    events, is_done = await read(async_client)

    assert is_done
    assert [e["stage"] for e in events if e["type"] == "stage"] == list(STAGES)
    assert all(set(e) == {"type", "message"} for e in events if e["type"] in ("log", "done"))
    assert events[-2]["message"].startswith("synthesis done — ")
    assert events[-1] == {
        "type": "summary",
        "implemented": True,
        "stages": list(STAGES),
        "note": events[-1]["note"],
    }
    assert "Atlas runs on MySQL for now.[^1]" in wiki.articles()["Atlas"]


async def test_several_questions_at_once_come_to_the_same(wiki, model, async_client, settings):
    await read(async_client)
    wiki.chats.tell("three", "Atlas runs on Postgres since May", "Good.", day=9)
    settings.SYNTHESIS = replace(settings.SYNTHESIS, batch=8)

    _, is_done = await read(async_client)

    assert is_done
    assert "MySQL" in wiki.articles()["Atlas"].partition("## History")[2]


async def test_a_dry_run_asks_and_writes_nothing(wiki, async_client):
    events, is_done = await read(async_client, f"{URL}?dry=1")

    assert is_done
    assert [e["stage"] for e in events if e["type"] == "stage"] == list(STAGES)
    assert "2 conversations" in events[0]["message"]
    assert wiki.articles() == {}


async def test_a_second_run_is_told_that_there_is_one(wiki, model, async_client):
    with FileLock(wiki.root / LOCK) as lock:
        assert lock.acquire()

        events, is_done = await read(async_client)

    assert not is_done
    assert events == [{"type": "error", "message": "a synthesis runs already; wait for it to end"}]


async def test_without_a_vault_there_is_an_error(tmp_path, settings, async_client):
    settings.VAULT = Vault(VaultConfig(tmp_path / "none", docs_root=tmp_path))

    events, is_done = await read(async_client)

    assert not is_done
    assert events[0]["message"].startswith("no memory vault yet")


async def test_without_a_model_the_error_says_how_to_get_one(wiki, async_client):
    events, is_done = await read(async_client)

    assert not is_done
    assert events[-1]["type"] == "error"
    assert "manage.py download" in events[-1]["message"]


async def test_head_runs_nothing(wiki, model, async_client):
    answer = await async_client.head(URL)

    assert answer.status_code == 200
    assert wiki.articles() == {}
