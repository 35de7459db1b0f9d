"""What mlx-lm's own loops do on a GPU: `generate_step` alone, `BatchGenerator` for more."""

import copy
import time
from typing import Any

import mlx.core as mx
from mlx_lm.generate import BatchGenerator, generate_step
from mlx_lm.models.cache import make_prompt_cache, trim_prompt_cache

from benchmarks.gpu_workload import Decode, fastest, gaps_over, prompt, prompts

ENDLESS = 10**6


def decode(model: Any, rows: int) -> Decode:
    """Measure steps in which all rows decode."""
    if rows == 1:
        steps = generate_step(mx.array(prompts(1)[0]), model, max_tokens=ENDLESS)
        return fastest(lambda: next(steps), rows)
    generator = _running(model, rows, rows)
    return fastest(generator.next, rows)


def first_token(model: Any, tokens: int, new: int) -> tuple[float, float]:
    """Return seconds to the first token, of a prompt never seen and of one with a new end.

    The second takes a copy of the first one's cache, as mlx-lm's server does.
    """
    cold = warm = 0.0
    for seed in (1, 2):  # the first compiles
        cache = make_prompt_cache(model)
        cold = _first_token(model, prompt(tokens, seed), cache)
        started = time.perf_counter()
        again = copy.deepcopy(cache)
        trim_prompt_cache(again, again[0].offset - (tokens - new))
        _first_token(model, prompt(new, seed=10 + seed), again)
        warm = time.perf_counter() - started
    return cold, warm


def worst_gap(model: Any, rows: int, tokens: int) -> float:
    """Return the longest time between two tokens of running rows while a prompt is computed."""
    generator = _running(model, rows, rows + 2)
    worst = 0.0
    for seed in (4, 5):  # the first compiles
        (late,) = generator.insert([prompt(tokens, seed)])
        seen: list[int] = []

        def step(late: int = late, seen: list[int] = seen) -> None:
            _, generated = generator.next()
            seen += [response.token for response in generated if response.uid == late]

        worst = gaps_over(step, lambda seen=seen: len(seen) > 4)
    return worst


def _running(model: Any, rows: int, places: int) -> BatchGenerator:
    generator = BatchGenerator(model, max_tokens=ENDLESS, completion_batch_size=places)
    generator.insert(prompts(rows))
    while len(generator.next()[1]) < rows:
        pass
    return generator


def _first_token(model: Any, tokens: list[int], cache: list[Any]) -> float:
    started = time.perf_counter()
    next(generate_step(mx.array(tokens), model, prompt_cache=cache, max_tokens=1))
    return time.perf_counter() - started
