"""Sequences with adapters run among others, each as mlx_lm would answer it alone."""

import pytest
from mlx_lm.tuner.utils import load_adapters
from mlx_lm.utils import load_model

from inference.engine.cuda.step import StepModel
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 8
ROOMY = 1 << 28
PROMPTS = make_prompts(8)
CHOICES = [(), ("a",), ("b",), ("a", "b")]


def sequence(host, prompt, ids):
    made = make_sequence(prompt, MAX_TOKENS)
    if ids:
        made.adapted_model, made.serial = host.select(ids), True
        made.namespace = made.adapted_model.namespace
    return made


@pytest.fixture(params=["llama", "hybrid"])
def tiny(request, mounting):
    """A model with the adapters a and b mounted, and what is answered with each choice."""
    made = mounting(request.param)
    for seed, name in enumerate("ab", 1):
        made.mount(name, made.write(name, seed=seed))
    return made


@pytest.fixture
def expected(tiny, tiny_checkpoint, request):
    path = tiny_checkpoint(request.node.callspec.params["tiny"])
    answers = {(): [reference(tiny.model, prompt, MAX_TOKENS) for prompt in PROMPTS]}
    for name in "ab":
        model = load_adapters(load_model(path)[0], str(tiny.written[name]))
        answers[name,] = [reference(model, prompt, MAX_TOKENS) for prompt in PROMPTS]
    with tiny.host.select(("a", "b"))._stand_ins():
        answers["a", "b"] = [reference(tiny.model, prompt, MAX_TOKENS) for prompt in PROMPTS]
    return answers


@pytest.mark.parametrize("cache_bytes", [0, ROOMY])
def test_each_sequence_has_the_answer_of_its_adapters_in_one_interleaved_run(
    tiny, expected, cache_bytes
):
    loop = StepLoop(ModelRunner(tiny.model, cache_bytes), chunk=16)
    modules = tiny.modules()
    # The base comes first and last, so that rows of neighbours share steps.
    wanted = [(prompt, ids) for prompt in range(len(PROMPTS)) for ids in [*CHOICES, ()]]

    for _ in range(2):  # the second time, prefixes are there
        answers = loop.answer_all([sequence(tiny.host, PROMPTS[p], ids) for p, ids in wanted])
        assert answers == [expected[ids][p] for p, ids in wanted]

    assert len({str(expected[ids]) for ids in CHOICES}) == len(CHOICES)
    assert all(tiny.modules()[path] is module for path, module in modules.items())
    assert loop.most_rows == 2


def test_keys_and_values_never_cross_between_adapters(tiny):
    loop = StepLoop(ModelRunner(tiny.model, ROOMY), chunk=64)
    prompt = max(PROMPTS, key=len)

    def cached(ids):
        one = sequence(tiny.host, prompt, ids)
        loop.answer_all([one])
        return one.num_cached

    first = [cached(ids) for ids in [*CHOICES, ("b", "a")]]
    again = [cached(ids) for ids in [*CHOICES, ("b", "a")]]
    tiny.host.unmount("a")
    tiny.mount("a")
    same = cached(("a",))
    tiny.mount("a", tiny.write("other", seed=9))

    assert first == [0] * 5
    assert min(again) > 0
    assert same == again[1]
    assert cached(("a",)) == 0
    assert cached(()) == again[0]


def test_traced_steps_never_hold_an_adapter(mounting, tiny_checkpoint):
    """What stands in for a model on CUDA is passed by, and its traces stay as they are."""
    made = mounting("llama")
    made.mount("a", made.write("a"))
    runner = ModelRunner(StepModel(made.model), 0)
    adapted = load_adapters(load_model(tiny_checkpoint("llama"))[0], str(made.written["a"]))
    base = [reference(made.model, prompt, 40) for prompt in PROMPTS[:3]]
    with_a = [reference(adapted, prompt, 40) for prompt in PROMPTS[:3]]
    loop = StepLoop(runner, chunk=16)

    for prompt, plain, changed in zip(PROMPTS, base, with_a, strict=False):
        for ids, answer in (((), plain), (("a",), changed), ((), plain)):
            one = sequence(made.host, prompt, ids)
            one.max_tokens = 40  # more than it takes for a step to be traced
            assert loop.answer_all([one]) == [answer]


def test_a_sequence_lets_go_of_its_adapters_when_it_ends(mounting):
    made = mounting("llama")
    made.mount("a", made.write("a"))
    loop = StepLoop(ModelRunner(made.model, 0), chunk=16)
    one, aborted = (sequence(made.host, PROMPTS[3], ("a",)) for _ in range(2))

    loop.answer_all([one])
    loop.add(aborted)
    loop.scheduler.end(aborted)

    assert one.adapted_model is None
    assert aborted.adapted_model is None
