"""What our engine does on a GPU: its runner and scheduler, without threads and web."""

import time
from typing import Any

from benchmarks.gpu_workload import Decode, fastest, gaps_over, prompt, prompts
from benchmarks.step_loop import StepLoop
from inference.engine.model_runner import ModelRunner
from inference.engine.sequence import Sequence
from inference.request import SamplingParams

GREEDY = SamplingParams(temperature=0)
CHUNK = 512  # prompt tokens of a step beside running rows
CHUNK_ALONE = 4096
ENDLESS = 10**6


def decode(model: Any, rows: int) -> Decode:
    """Measure steps in which all rows decode."""
    loop = StepLoop(ModelRunner(model, 0), chunk=CHUNK_ALONE, max_running=rows)
    sequences = [_add(loop, tokens) for tokens in prompts(rows)]
    loop.run_until(lambda: all(sequence.output for sequence in sequences))
    return fastest(loop.step, rows)


def first_token(model: Any, tokens: int, new: int) -> tuple[float, float]:
    """Return seconds to the first token, of a prompt never seen and of one with a new end."""
    loop = StepLoop(ModelRunner(model, 1 << 34), chunk=CHUNK_ALONE)
    cold = warm = 0.0
    for seed in (1, 2):  # the first compiles
        seen = prompt(tokens, seed)
        cold = _first_token(loop, seen)
        warm = _first_token(loop, seen[:-new] + prompt(new, seed=10 + seed))
    return cold, warm


def worst_gap(model: Any, rows: int, tokens: int) -> float:
    """Return the longest time between two tokens of running rows while a prompt is computed."""
    loop = StepLoop(ModelRunner(model, 0), chunk=CHUNK, max_running=rows + 2)
    sequences = [_add(loop, each) for each in prompts(rows)]
    loop.run_until(lambda: all(len(sequence.output) > 8 for sequence in sequences))
    worst = 0.0
    for seed in (4, 5):  # the first compiles
        late = _add(loop, prompt(tokens, seed))
        worst = gaps_over(loop.step, lambda late=late: len(late.output) > 4)
    return worst


def _first_token(loop: StepLoop, tokens: list[int]) -> float:
    started = time.perf_counter()
    sequence = _add(loop, tokens, max_tokens=1)
    loop.run_until(lambda: bool(sequence.output))
    seconds = time.perf_counter() - started
    loop.run()
    return seconds


def _add(loop: StepLoop, tokens: list[int], max_tokens: int = ENDLESS) -> Sequence:
    return loop.add(Sequence(f"s{id(tokens)}", tokens, GREEDY, max_tokens))
