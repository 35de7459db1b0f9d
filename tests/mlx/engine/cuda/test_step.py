"""Decode steps of fixed shapes answer as mlx_lm does, whoever shares them.

Without a GPU the same steps are built, with mlx's own attention and products in them.
"""

import mlx.core as mx
import pytest
from mlx_lm.models.cache import BatchKVCache, KVCache, make_prompt_cache

from inference.engine.cuda import step
from inference.engine.cuda.step import StepModel
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 12
ROOMY = 1 << 28
PROMPTS = make_prompts(16)


@pytest.fixture(scope="module", params=["llama", "experts", "gemma2", "deepseek_v3"])
def tiny(request, tiny_model):
    return tiny_model(request.param).model


@pytest.fixture(scope="module")
def answers(tiny):
    return [reference(tiny, prompt, MAX_TOKENS) for prompt in PROMPTS]


@pytest.fixture(scope="module")
def llama(tiny_model):
    """Loaded before `built` begins: on a GPU, loading builds steps of its own."""
    return tiny_model("llama").model


@pytest.fixture
def built(monkeypatch):
    """Note the shapes of the steps that are built, one by one."""
    shapes = []
    build = StepModel._build

    def noting(self, tokens, columns, keys, values):
        shapes.append((tokens.shape[0], keys[0].shape[2]))
        return build(self, tokens, columns, keys, values)

    monkeypatch.setattr(StepModel, "_build", noting)
    return shapes


def test_alone(tiny, answers, built):
    loop = StepLoop(ModelRunner(StepModel(tiny), 0), chunk=32)

    assert [loop.answer(prompt, MAX_TOKENS) for prompt in PROMPTS] == answers
    assert (1, 256) in built


def test_in_a_batch_and_again_from_the_prefix_cache(llama, built):
    answers = [reference(llama, prompt, MAX_TOKENS) for prompt in PROMPTS]
    loop = StepLoop(ModelRunner(StepModel(llama), ROOMY), chunk=32)

    assert loop.answer_staggered(PROMPTS, MAX_TOKENS) == answers
    assert loop.answer_staggered(PROMPTS, MAX_TOKENS) == answers
    assert max(rows for rows, _ in built) > 4


def test_rows_that_leave_early_leave_the_others_right(tiny_model):
    tiny = tiny_model("llama").model
    answers = [reference(tiny, prompt, MAX_TOKENS) for prompt in PROMPTS]
    loop = StepLoop(ModelRunner(StepModel(tiny), ROOMY), chunk=16)
    sequences = []
    for prompt in PROMPTS:
        sequences.append(loop.add(make_sequence(prompt, MAX_TOKENS)))
        victim = loop.add(make_sequence(prompt[::-1], MAX_TOKENS))
        loop.step()
        loop.step()
        loop.abort(victim)
    loop.run()

    assert [sequence.output for sequence in sequences] == answers


def test_past_the_end_of_a_capacity(llama, built):
    prompt = (PROMPTS[5] * 250)[:250]

    assert StepLoop(ModelRunner(StepModel(llama), 0)).answer(prompt, 20) == reference(
        llama, prompt, 20
    )
    assert {capacity for _, capacity in built} == {256, 512}


@pytest.mark.parametrize("kind", ["sliding", "hybrid", "gemma3_text"])
def test_a_model_of_other_caches_runs_as_before(kind, tiny_model, built):
    tiny = tiny_model(kind).model
    loop = StepLoop(ModelRunner(StepModel(tiny), 0), chunk=32)

    assert loop.answer(PROMPTS[5], MAX_TOKENS) == reference(tiny, PROMPTS[5], MAX_TOKENS)
    assert not built


def test_a_shape_is_traced_once_it_has_stayed(tiny_model, monkeypatch):
    traced = []
    monkeypatch.setattr(mx, "compile", lambda function: traced.append(function) or function)
    model = StepModel(tiny_model("llama").model)
    layers = prefilled(model, 10)

    for count in range(2 * step.STEPS_BEFORE_TRACE):
        model(mx.array([[7]]), cache=layers)
        assert len(traced) == (count + 1 >= step.STEPS_BEFORE_TRACE)


def test_the_oldest_trace_goes_when_there_are_too_many(tiny_model, monkeypatch):
    monkeypatch.setattr(step, "_MAX_TRACES", 2)
    monkeypatch.setattr(step, "STEPS_BEFORE_TRACE", 1)
    model = StepModel(tiny_model("llama").model)

    for length in (10, 300, 600):
        model(mx.array([[7]]), cache=prefilled(model, length))

    assert list(model._traces) == [(1, 512), (1, 768)]


def test_what_others_do_to_a_batch_between_steps_counts(tiny_model):
    tiny = tiny_model("llama").model
    model = StepModel(tiny)
    lengths = (4, 9, 6)
    pairs = [[prefilled(tiny, length) for length in lengths] for _ in range(2)]
    ours, theirs = (
        [KVCache.merge(list(same)) for same in zip(*rows, strict=True)] for rows in pairs
    )
    tokens = mx.array([[1], [2], [3]])

    for _ in range(3):
        answer, expected = model(tokens, cache=ours), tiny(tokens, cache=theirs)
        assert mx.allclose(answer, expected, atol=1e-4)
    for layer in (*ours, *theirs):
        layer.filter(mx.array([0, 2]))
        layer.trim(1)
    answer, expected = model(tokens[:2], cache=ours), tiny(tokens[:2], cache=theirs)

    assert mx.allclose(answer, expected, atol=1e-4)
    assert all(type(layer) is BatchKVCache for layer in ours)
    assert ours[0].offset.tolist() == theirs[0].offset.tolist()


def prefilled(model, length):
    layers = make_prompt_cache(model)
    mx.eval(model(mx.arange(1, length + 1)[None], cache=layers))
    return layers
