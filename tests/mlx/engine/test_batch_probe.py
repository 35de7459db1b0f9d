"""A model whose rows cannot share a step is found out before anyone relies on it."""

import logging

import mlx.core as mx
import pytest
from mlx_lm.models.cache import BatchKVCache

from inference.engine.batch_probe import can_batch
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference
from tests.plugins.tiny_configs import CONFIGS

SERIAL = {"gemma2", "llama4"}
MAX_TOKENS = 6


@pytest.mark.parametrize("kind", sorted(set(CONFIGS) - SERIAL))
def test_models_of_these_kinds_can_batch(kind, tiny_model, caplog):
    assert can_batch(tiny_model(kind).model)
    assert not caplog.records


def test_attention_that_takes_the_mask_of_one_row_cannot_batch(tiny_model, caplog):
    with caplog.at_level(logging.WARNING):
        assert not can_batch(tiny_model("gemma2").model)

    assert "one at a time" in caplog.text


def test_caches_that_cannot_be_merged_cannot_batch(tiny_model, caplog):
    assert not can_batch(tiny_model("llama4").model)
    assert "merge" in caplog.text


def test_rows_that_see_one_anothers_padding_cannot_batch(tiny_model, monkeypatch, caplog):
    monkeypatch.setattr(BatchKVCache, "make_mask", lambda self, N, **options: None)

    assert not can_batch(tiny_model("llama").model)
    assert "changes its rows" in caplog.text


def test_rows_that_a_longer_one_misplaces_cannot_batch(tiny_model, monkeypatch, caplog):
    extend = BatchKVCache.extend

    def forgetting(batch, other):
        longer = max(other.size() - batch.size(), 0)
        extend(batch, other)
        batch.left_padding = mx.maximum(batch.left_padding - longer, 0)

    monkeypatch.setattr(BatchKVCache, "extend", forgetting)

    assert not can_batch(tiny_model("llama").model)
    assert "changes its rows" in caplog.text


class Unsteady:
    """A model of some precision whose logits move by a share in steps of more than two rows."""

    def __init__(self, model, dtype, share):
        self._model, self._dtype, self._share = model, dtype, share

    def __getattr__(self, name):
        return getattr(self._model, name)

    def __call__(self, tokens, cache):
        logits = self._model(tokens, cache=cache)
        if tokens.shape[0] > 2:
            noise = mx.random.normal(logits.shape, key=mx.random.key(1))
            logits = logits * (1 + self._share * noise)
        return logits.astype(self._dtype)


@pytest.mark.parametrize(
    ("dtype", "share", "batches"),
    [
        (mx.bfloat16, 0.05, True),  # what kernels of other shapes do to half precision
        (mx.bfloat16, 0.3, False),
        (mx.float32, 0.05, False),
    ],
)
def test_rows_may_move_as_far_as_their_precision_lets_them(dtype, share, batches, tiny_model):
    model = tiny_model("llama").model

    assert can_batch(Unsteady(model, dtype, share)) is batches


@pytest.mark.parametrize("kind", sorted(SERIAL))
def test_a_model_that_cannot_batch_answers_one_request_at_a_time(kind, tiny_model):
    model = tiny_model(kind).model
    prompts = make_prompts(12)
    prompts += [prompt[: len(prompt) // 2 + 1] for prompt in prompts] + prompts
    loop = StepLoop(ModelRunner(model, 1 << 28), chunk=16)
    sequences = [make_sequence(prompt, MAX_TOKENS) for prompt in prompts]
    for sequence in sequences:
        sequence.serial = True

    answers = loop.answer_all(sequences)

    assert answers == [reference(model, prompt, MAX_TOKENS) for prompt in prompts]
    assert loop.most_rows == 1
    assert loop.runner.stats().cache_hits > 0
