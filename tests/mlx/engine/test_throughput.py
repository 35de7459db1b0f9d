"""The engine's thread and its streams cost little beside the steps themselves."""

import asyncio
import time

import pytest

from benchmarks.rates import shared_rate
from benchmarks.step_loop import decode_rate
from hub.density import WeightsOption
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import make_sequence

pytestmark = [pytest.mark.alone, pytest.mark.openblas, pytest.mark.starter, pytest.mark.slow]

ROWS = 8
STEPS = 20
ROUNDS = 3  # other work on the machine slows some; the best of each side counts
PROMPTS = [[row + 100 + token for token in range(30)] for row in range(ROWS)]


def load_runner(path):
    return ModelRunner(load(path, WeightsOption.AUTO, 8 * 10**9).model, prefix_cache_bytes=0)


async def served_rate(engine):
    """Return tokens per second of as many streams as the direct side has rows."""
    sequences = [make_sequence(prompt, STEPS + 2) for prompt in PROMPTS]
    arrivals = await asyncio.gather(*(arrival_times(engine.submit(s)) for s in sequences))
    return shared_rate(arrivals, [1.0] * ROWS)


async def arrival_times(stream):
    times = []
    while True:
        for output in await stream.next_outputs():
            assert output.error is None
            times += [time.perf_counter()] * len(output.token_ids)
            if output.finish_reason is not None:
                return times


async def test_eight_streams_are_served_at_the_rate_of_eight_rows(starter_model):
    runner = load_runner(starter_model)
    engine = Engine(lambda: load_runner(starter_model), EngineConfig(max_running=ROWS))
    engine.start()
    direct, served = [], []

    for _ in range(ROUNDS):
        direct.append(decode_rate(runner, ROWS, STEPS))
        served.append(await served_rate(engine))
    await asyncio.to_thread(engine.stop)

    assert max(served) >= 0.85 * max(direct), (served, direct)
