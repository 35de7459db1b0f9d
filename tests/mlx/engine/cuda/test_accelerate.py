"""A model is accelerated only where that leaves its answers alone."""

import mlx.core as mx
import pytest

from hub.density import WeightsOption
from inference.engine.cuda import accelerate as module
from inference.engine.cuda.accelerate import accelerate
from inference.engine.cuda.step import StepModel
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, reference

PROMPTS = make_prompts(8)
MAX_TOKENS = 8


@pytest.fixture(autouse=True)
def short_trials(monkeypatch):
    monkeypatch.setattr(module, "_TRIALS", ((1, 20), (3, 6)))


@pytest.fixture
def fresh(tiny_checkpoint):
    """Load a model of its own for a test, since accelerating changes it."""
    return lambda kind: load(tiny_checkpoint(kind), WeightsOption.AUTO, 10**9).model


@pytest.mark.parametrize("kind", ["llama", "experts", "deepseek_v3"])
def test_answers_stay_mlx_lms(kind, fresh, tiny_model):
    plain = tiny_model(kind).model
    fast = accelerate(fresh(kind))

    answers = StepLoop(ModelRunner(fast, 1 << 28)).answer_staggered(PROMPTS, MAX_TOKENS)

    assert isinstance(fast, StepModel)
    assert answers == [reference(plain, prompt, MAX_TOKENS) for prompt in PROMPTS]


@pytest.mark.parametrize("kind", ["sliding", "hybrid"])
def test_a_model_of_other_caches_is_returned_as_it_is(kind, fresh):
    model = fresh(kind)

    assert accelerate(model) is model


def test_a_model_that_answers_differently_is_returned(fresh, monkeypatch, caplog):
    model = fresh("llama")
    monkeypatch.setattr(StepModel, "__call__", lambda self, tokens, cache: mx.zeros((1, 1, 259)))

    assert accelerate(model) is model
    assert "differ" in caplog.text


def test_a_model_whose_steps_fail_is_returned(fresh, monkeypatch, caplog):
    model = fresh("llama")

    def fail(*_):
        raise ValueError("no such step")

    monkeypatch.setattr(StepModel, "_build", fail)

    assert accelerate(model) is model
    assert "no such step" in caplog.text


def test_models_without_layers_in_common_share_the_hook(fresh):
    first, second = accelerate(fresh("llama")), accelerate(fresh("llama"))

    for fast in (first, second):
        assert StepLoop(ModelRunner(fast, 0)).answer(PROMPTS[4], MAX_TOKENS) == reference(
            fast._model, PROMPTS[4], MAX_TOKENS
        )
