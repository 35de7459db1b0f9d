"""The engine's step loop on the caller's own thread: no inbox, no streams, no web.

Benchmarks measure what a step costs with it, and tests of real models drive them with it.
No mlx is imported here.
"""

import time
from collections.abc import Callable

from inference.engine.config import EngineConfig
from inference.engine.plan import LaunchedStep, StepPlan, StepResult
from inference.engine.runner import Runner
from inference.engine.scheduler import Scheduler
from inference.engine.sequence import Sequence
from inference.request import SamplingParams

PROMPT_TOKENS = 38  # about what a short chat has, template included
WARM_UP_STEPS = 3


class StepLoop:
    """A scheduler and a runner, one step ahead like the engine's loop.

    chunk: prompt tokens of a step at most; max_running: rows.
    """

    def __init__(self, runner: Runner, *, chunk: int = 512, max_running: int = 8) -> None:
        self.runner = runner
        self.scheduler = Scheduler(
            EngineConfig(
                max_running=max_running,
                max_mixed_prefill_tokens=chunk,
                max_prefill_tokens=chunk,
            )
        )
        self._in_flight: LaunchedStep | None = None

    def add(self, sequence: Sequence) -> Sequence:
        self.scheduler.add(sequence)
        return sequence

    def abort(self, sequence: Sequence) -> None:
        self.scheduler.end(sequence)

    def step(self) -> None:
        """Launch one step and read the one before."""
        for sequence in self.scheduler.admit():
            sequence.num_computed = sequence.num_cached = self.runner.begin(sequence)
        plan = self.scheduler.schedule()
        launched = self.runner.launch(plan) if plan else None
        if launched is not None:
            for sequence, error in launched.failed:
                self.fail(sequence, error)
        if self._in_flight is not None:
            self.update(self._in_flight.plan, self.runner.collect(self._in_flight))
        self._in_flight = launched

    def update(self, plan: StepPlan, result: StepResult) -> None:
        """Take in the tokens of a step."""
        self.scheduler.update(plan, result)

    def fail(self, sequence: Sequence, error: Exception) -> None:
        """Raise what kept a sequence from its step."""
        raise error

    def run(self) -> None:
        """Step until nothing is left to do."""
        while not self.scheduler.is_idle or self._in_flight is not None:
            self.step()

    def run_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert not self.scheduler.is_idle, "it ended before that came true"
            self.step()


def decode_rate(runner: Runner, rows: int, steps: int) -> float:
    """Return tokens per second over `steps` decode steps of `rows` greedy rows.

    The prompts, and a few steps with every row in them, come before the clock starts.
    """
    loop = StepLoop(runner, max_running=rows)
    greedy = SamplingParams(temperature=0)
    sequences = [
        loop.add(Sequence(f"row-{row}", _prompt(row), greedy, max_tokens=10**6))
        for row in range(rows)
    ]
    loop.run_until(lambda: all(len(s.output) >= WARM_UP_STEPS for s in sequences))
    started = time.perf_counter()
    for _ in range(steps):
        loop.step()
    seconds = time.perf_counter() - started
    for sequence in sequences:
        loop.abort(sequence)
    loop.run()
    return rows * steps / seconds


def _prompt(row: int) -> list[int]:
    """Token ids that every vocabulary has; no two rows share a prefix."""
    return [(7 * row + 13 * position) % 1000 + 100 for position in range(PROMPT_TOKENS)]
