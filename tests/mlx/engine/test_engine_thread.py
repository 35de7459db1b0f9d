"""Real models on the engine's own thread, asked by many callers at once."""

import asyncio
import random

import mlx.core as mx
import pytest

from hub.density import WeightsOption
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from tests.plugins.scripted_engine import read, tokens
from tests.plugins.step_loop import make_sequence, reference

ROOMY = 1 << 28
ROUNDS = 20
# What is cached of 300 equal words differs by kind; the answers do not.
AGENT_PROMPTS = ([72, 105], [7] * 300, [*[7] * 300, 11, 12, 13])


@pytest.fixture
def start(start_engine_with, tiny_checkpoint):
    """Start an engine over a tiny model that it loads itself."""

    def load_runner(kind):
        return ModelRunner(load(tiny_checkpoint(kind), WeightsOption.AUTO, 10**9).model, ROOMY)

    return lambda kind: start_engine_with(
        lambda: load_runner(kind), max_running=8, max_mixed_prefill_tokens=40, max_prefill_tokens=64
    )


async def ask(engine, prompt, max_tokens, *, delay=0.0):
    await asyncio.sleep(delay)
    return tokens(await read(engine.submit(make_sequence(prompt, max_tokens))))


async def test_each_of_sixteen_hears_what_it_would_hear_alone(start, tiny_model):
    """Public case cb-01."""
    numbers = random.Random(1)
    lengths = [10, 800, *(numbers.randint(10, 800) for _ in range(14))]
    prompts = [[numbers.randrange(256) for _ in range(length)] for length in lengths]
    engine = start("llama")
    for prompt in prompts[::2]:
        await ask(engine, prompt, 1)

    answers = await asyncio.gather(
        *(ask(engine, prompt, 24, delay=numbers.uniform(0, 0.05)) for prompt in prompts)
    )

    model = tiny_model("llama").model
    assert answers == [reference(model, prompt, 24) for prompt in prompts]
    assert engine.stats().runner.cache_hits == len(prompts) / 2


@pytest.mark.parametrize("kind", ["llama", "gemma3_text", "qwen3_5", "gemma4_text"])
async def test_a_title_and_its_prompt_at_the_same_time(kind, start, tiny_model, caplog):
    """Public case cb-05: full attention, sliding window, hybrid, shared keys and values."""
    engine = start(kind)

    rounds = [
        await asyncio.gather(*(ask(engine, prompt, 10) for prompt in AGENT_PROMPTS))
        for _ in range(ROUNDS)
    ]

    model = tiny_model(kind).model
    assert rounds == [[reference(model, prompt, 10) for prompt in AGENT_PROMPTS]] * ROUNDS
    assert caplog.records == []


async def test_a_hold_gives_unused_memory_back_and_keeps_what_was_computed(start):
    engine = start("llama")
    prompt = list(range(1, 200))
    before = await ask(engine, prompt, 8)
    kept = await engine.call(mx.get_cache_memory)

    hold = engine.hold()
    await asyncio.wrap_future(hold.granted)
    rested = mx.get_cache_memory()
    engine.release(hold)

    assert kept > 0
    assert rested == 0
    assert await ask(engine, prompt, 8) == before
    assert engine.stats().runner.cache_hits == 1
