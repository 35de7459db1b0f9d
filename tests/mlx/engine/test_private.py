"""What is private stays in memory: it is found there again, and nothing of it is on disk."""

import random

import pytest

from inference.engine.cache.namespaces import private
from tests.plugins.ssd_engine import SsdEngine

PROMPT = [random.Random(7).randrange(256) for _ in range(600)]
OTHER = [random.Random(8).randrange(256) for _ in range(600)]


@pytest.fixture
def open_engine(tiny_checkpoint, tmp_path):
    engines = []

    def start(**fields):
        engines.append(SsdEngine(tiny_checkpoint("llama"), tmp_path / "cache", **fields).start())
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


async def test_a_private_prompt_is_found_in_memory_and_not_on_disk(open_engine):
    engine = open_engine()

    await engine.answer(PROMPT, namespace=private(""))

    assert engine.flush().durable
    assert engine.files == []
    assert (await engine.answer(PROMPT, namespace=private(""))).cached > 0
    assert (await engine.answer(PROMPT)).cached == 0


async def test_private_prompts_that_make_room_are_not_written(open_engine):
    engine = open_engine(memory_bytes=200_000)
    await engine.answer(PROMPT, namespace=private(""))

    for seed in range(4):
        prompt = [random.Random(seed).randrange(256) for _ in range(600)]
        await engine.answer(prompt, namespace=private(""))

    assert engine.flush().durable
    assert engine.stats.spills == 0
    assert engine.files == []


async def test_what_is_not_private_is_written_beside_it(open_engine):
    engine = open_engine()

    await engine.answer(PROMPT, namespace=private(""))
    await engine.answer(OTHER)

    assert engine.flush().durable
    assert len(engine.files) == 1
