"""What both sides are given, and how a step is timed; no mlx here."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_SHORTEST, _LONGEST = 384, 640  # tokens of the prompts of a batch
_WARM_UP = 40  # by then our steps are traced
_WINDOWS, _STEPS = 4, 40
_ENOUGH_S = 5.0  # for windows of steps so slow that nothing else shows


@dataclass(frozen=True, slots=True)
class Decode:
    """Tokens per second of all rows together, and milliseconds of a step."""

    rate: float
    step_ms: float


def prompts(rows: int) -> list[list[int]]:
    """Return prompts of some 512 tokens, of mixed lengths where there are several."""
    lengths = random.Random(0)
    if rows == 1:
        return [prompt(512, seed=0)]
    return [prompt(lengths.randint(_SHORTEST, _LONGEST), seed) for seed in range(rows)]


def prompt(length: int, seed: int) -> list[int]:
    numbers = random.Random(1000 + seed)
    return [numbers.randrange(100_000) for _ in range(length)]


def fastest(step: Callable[[], Any], rows: int) -> Decode:
    """Time windows of steps after a warm-up; the fastest window counts.

    Everything else on the host only ever adds time, and unevenly.
    """
    for _ in range(_WARM_UP):
        step()
    windows = [_window(step)]
    while len(windows) < _WINDOWS and sum(windows) < _ENOUGH_S:
        windows.append(_window(step))
    seconds = min(windows) / _STEPS
    return Decode(rows / seconds, 1e3 * seconds)


def _window(step: Callable[[], Any]) -> float:
    started = time.perf_counter()
    for _ in range(_STEPS):
        step()
    return time.perf_counter() - started


def gaps_over(step: Callable[[], Any], done: Callable[[], bool]) -> float:
    """Step until done; return the longest step in seconds."""
    worst = 0.0
    while not done():
        started = time.perf_counter()
        step()
        worst = max(worst, time.perf_counter() - started)
    return worst
