"""Decode rate of the engine's own step loop: no thread, no web, no text.

`python -m benchmarks.direct_decode FOLDER ROWS STEPS` prints tokens per second. It runs in
a process of its own, so that each measurement starts from the same state.
"""

import sys
import time
from pathlib import Path

from inference.engine.blas import load_openblas

load_openblas()  # before mlx

from inference.engine.backend import WeightsOption
from inference.engine.config import EngineConfig
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from inference.engine.scheduler import Scheduler
from inference.engine.sequence import Sequence
from inference.request import SamplingParams

PROMPT_TOKENS = 38  # about what the served side's prompts have


def direct_rate(folder: Path, rows: int, steps: int) -> float:
    """Return tokens per second over `steps` decode steps of `rows` greedy rows."""
    loaded = load(folder, WeightsOption.AUTO, usable_bytes=16 * 10**9)
    runner = ModelRunner(loaded.model, prefix_cache_bytes=0)
    scheduler = Scheduler(EngineConfig(max_running=rows))
    for row in range(rows):
        prompt = [(7 * row + 13 * position) % 1000 + 100 for position in range(PROMPT_TOKENS)]
        scheduler.add(Sequence(f"row-{row}", prompt, SamplingParams(temperature=0), 10**6))
    for sequence in scheduler.admit():
        sequence.num_computed = runner.begin(sequence)
    in_flight = None
    started = 0.0
    counted = -3  # steps with every row that warm up
    while counted < steps:
        plan = scheduler.schedule()
        launched = runner.launch(plan)
        if in_flight is not None:
            scheduler.update(in_flight.plan, runner.collect(in_flight))
            if len(in_flight.plan.decodes) == rows:
                counted += 1
                if counted == 0:
                    started = time.perf_counter()
        in_flight = launched
    return rows * steps / (time.perf_counter() - started)


if __name__ == "__main__":
    print(direct_rate(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
