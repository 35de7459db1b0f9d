"""All stages with a real model that is too small for them: nothing breaks, whatever it says."""

import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from inference import runtime
from inference.options import ServeOptions
from memory.article.check import check
from memory.synthesis import current
from memory.synthesis.config import SynthesisConfig
from memory.synthesis.events import STAGES
from memory.synthesis.models import Chunk, ChunkEntity
from memory.synthesis.served_model import ServedModel
from tests.plugins.synthesis import Memory

pytestmark = [pytest.mark.starter, pytest.mark.slow]

FEW_TOKENS = 10  # an answer's, so that the test takes seconds


@pytest.fixture
def memory(tmp_path, settings, transactional_db, starter_model, starter_cache):
    memory = Memory(tmp_path / "wiki")
    settings.VAULT = memory.vault
    settings.SYNTHESIS = SynthesisConfig(sources=(memory.chats,))
    runtime.start(ServeOptions(model=str(starter_model), batch=1), starter_cache)
    yield memory
    runtime.stop()


@contextmanager
def brief_model(config, stop):
    with ServedModel(config.batch, stop) as model:
        yield lambda questions: model(
            [replace(q, max_tokens=min(q.max_tokens, FEW_TOKENS)) for q in questions]
        )


def test_the_starter_model_runs_all_stages_to_their_end(memory):
    memory.chats.tell("one", "Atlas runs on MySQL.", "Noted.", day=1)
    memory.chats.tell("two", "Atlas draws maps.", "I see.", day=2)
    events = []

    for _ in range(2):
        current.synthesize(events.append, threading.Event(), brief_model)
        make_up_for_early_stages()
        memory.chats.tell("three", "Atlas runs on Postgres.", "Good.", day=3)

    assert [e["stage"] for e in events if e["type"] == "stage"] == [*STAGES] * 2
    assert [e for e in events if e["type"] == "error"] == []
    for stem in memory.articles():
        assert check(memory.article(stem)) == []


def make_up_for_early_stages():
    """Give the later stages something to do, whatever the model made of the first ones."""
    for chunk in Chunk.objects.filter(subjects=None):
        ChunkEntity.objects.create(chunk=chunk, surface="Atlas")
