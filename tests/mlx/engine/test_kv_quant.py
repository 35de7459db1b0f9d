"""Models with quantized keys and values answer as they would alone, cold, or in other chunks."""

import json

import pytest

from hub.kv_cost import kv_cost
from hub.local_model import read_local_model
from inference.engine.cache.choice import choose_scheme
from inference.engine.cache.kv_config import FILE_NAME
from inference.engine.model_runner import ModelRunner
from inference.kv_quant import KvQuant
from tests.plugins.step_loop import CHUNKS, StepLoop, make_prompts, make_sequence

ROOMY = 1 << 28
MAX_TOKENS = 8
NEARLY_ALL = 0.9
SERIAL = ("4", "8", "turbo", "turbo:k5v5")
KINDS = ("wide_llama", "wide_gemma3_text", "wide_gemma4_text", "wide_qwen3_5")


@pytest.fixture(scope="module")
def choose(tiny_model, tmp_path_factory):
    """Call with a kind of model and a value of --kv-quant; a file gives layer 1 four bits."""
    folder = tmp_path_factory.mktemp("kv-config")
    rows = [{"layer_idx": 1, "bits": 4}]
    (folder / FILE_NAME).write_text(json.dumps(rows), encoding="utf-8")
    return lambda kind, asked: choose_scheme(tiny_model(kind).model, KvQuant.parse(asked), folder)


@pytest.fixture(scope="module")
def make_runner(tiny_model, choose):
    def make(kind, asked, cache_bytes=ROOMY):
        scheme = choose(kind, asked)
        max_rows = None if scheme.batches else 1
        return ModelRunner(tiny_model(kind).model, cache_bytes, scheme=scheme, max_rows=max_rows)

    return make


def cold_answers(make_runner, kind, asked, prompts):
    """Answer each prompt by a runner that keeps nothing, in one chunk."""
    loop = StepLoop(make_runner(kind, asked, 0), chunk=512, max_running=1)
    return loop.answer_all([make_sequence(prompt, MAX_TOKENS) for prompt in prompts])


@pytest.mark.parametrize("asked", [*SERIAL, "config"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_next_turn_takes_nearly_all_of_the_one_before_from_the_cache(kind, asked, make_runner):
    prompt = list(range(40, 140))
    loop = StepLoop(make_runner(kind, asked), chunk=32)
    turn = make_sequence(prompt, MAX_TOKENS)
    loop.answer_all([turn])

    longer = [*prompt, *turn.output, *range(60, 80)]
    following = make_sequence(longer, MAX_TOKENS)
    loop.answer_all([following])

    assert following.num_cached > NEARLY_ALL * len(prompt)
    assert following.output == cold_answers(make_runner, kind, asked, [longer])[0]


@pytest.mark.parametrize("asked", ["4", "turbo"])
@pytest.mark.parametrize("chunk", CHUNKS)
def test_answers_depend_neither_on_chunks_nor_on_what_was_asked_before(chunk, asked, make_runner):
    prompts = make_prompts(9)
    loop = StepLoop(make_runner("wide_llama", asked), chunk=chunk, max_running=1)

    first = loop.answer_all([make_sequence(prompt, MAX_TOKENS) for prompt in prompts])
    again = loop.answer_all([make_sequence(prompt, MAX_TOKENS) for prompt in prompts])

    assert first == again == cold_answers(make_runner, "wide_llama", asked, prompts)
    assert loop.runner.stats().cache_hits >= len(prompts) - 2  # all but those of one token


def test_rows_of_a_configured_model_share_steps(make_runner):
    prompts = make_prompts(9)
    runner = make_runner("wide_llama", "config")
    loop = StepLoop(runner, chunk=32)

    together = loop.answer_staggered(prompts, MAX_TOKENS)

    assert together == cold_answers(make_runner, "wide_llama", "config", prompts)
    assert runner.max_rows is None
    assert loop.most_rows > 2


@pytest.mark.parametrize("asked", ["8", "turbo", "config"])
def test_a_sequence_that_is_aborted_gives_its_memory_back(asked, make_runner):
    loop = StepLoop(make_runner("wide_llama", asked, 0), chunk=32, max_running=1)
    for steps in (1, 6):  # while its prompt is computed, and while it runs
        sequence = loop.add(make_sequence(list(range(90)), 50))
        for _ in range(steps):
            loop.step()
        assert loop.runner.stats().kv_bytes > 0

        loop.scheduler.end(sequence)
        loop.run()

        assert loop.runner.stats().kv_bytes == 0


@pytest.mark.parametrize("asked", ["off", "4", "8", "config"])
def test_a_token_takes_the_memory_that_it_is_billed(asked, make_runner, choose, tiny_model):
    shape = read_local_model(tiny_model("wide_llama").path, "tiny").shape
    runner = make_runner("wide_llama", asked, 0)
    sizes = choose("wide_llama", asked).element_bytes(4.0)
    tokens = 512  # caches grow by 256

    loop = StepLoop(runner, chunk=512, max_running=1)
    loop.add(make_sequence([100] * (tokens + 1), 1))
    loop.step()

    billed = kv_cost(shape, sizes or 4.0).of(tokens)
    assert runner.stats().kv_bytes == pytest.approx(billed, rel=0.02)


@pytest.mark.parametrize(("keys", "values"), [(8, 3), (5, 5), (2, 2)])
def test_turbo_takes_bits_and_scales_and_nothing_else(keys, values, make_runner):
    runner = make_runner("wide_llama", f"turbo:k{keys}v{values}", 0)
    loop = StepLoop(runner, chunk=512, max_running=1)
    loop.add(make_sequence([100] * 513, 1))
    loop.step()

    heads, dimension, layers, number = 2, 64, 2, 4
    of_key = dimension * keys / 8 + 2 * number  # one group, with scale and bias
    of_value = dimension * values / 8 + number  # one scale
    assert runner.stats().kv_bytes == layers * heads * 512 * (of_key + of_value)
