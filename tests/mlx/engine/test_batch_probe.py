"""A model whose rows cannot share a step is found out before anyone relies on it."""

import logging

import pytest
from mlx_lm.models.cache import BatchKVCache, ChunkedKVCache

from inference.engine.batch_probe import can_batch
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference
from tests.plugins.tiny_configs import CONFIGS

SERIAL = {"gemma2"}
MAX_TOKENS = 6


@pytest.mark.parametrize("kind", sorted(set(CONFIGS) - SERIAL))
def test_models_of_these_kinds_can_batch(kind, tiny_model, caplog):
    assert can_batch(tiny_model(kind).model)
    assert not caplog.records


def test_attention_that_takes_the_mask_of_one_row_cannot_batch(tiny_model, caplog):
    with caplog.at_level(logging.WARNING):
        assert not can_batch(tiny_model("gemma2").model)

    assert "one at a time" in caplog.text


def test_caches_that_cannot_be_merged_cannot_batch(tiny_model, monkeypatch, caplog):
    model = tiny_model("llama").model
    monkeypatch.setattr(type(model), "make_cache", lambda self: [ChunkedKVCache(8) for _ in "ab"])

    assert not can_batch(model)
    assert "merge" in caplog.text


def test_rows_that_see_one_anothers_padding_cannot_batch(tiny_model, monkeypatch, caplog):
    monkeypatch.setattr(BatchKVCache, "make_mask", lambda self, N, **options: None)

    assert not can_batch(tiny_model("llama").model)
    assert "changes its rows" in caplog.text


def test_a_model_that_cannot_batch_answers_one_request_at_a_time(tiny_model):
    model = tiny_model("gemma2").model
    prompts = make_prompts(8)
    loop = StepLoop(ModelRunner(model, 1 << 28), chunk=16)
    sequences = [make_sequence(prompt, MAX_TOKENS) for prompt in prompts]
    for sequence in sequences:
        sequence.serial = True
        loop.add(sequence)

    loop.run()

    assert [s.output for s in sequences] == [reference(model, p, MAX_TOKENS) for p in prompts]
    assert not any(sequence.shared_steps for sequence in sequences)
