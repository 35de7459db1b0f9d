"""Steps of a real model on the test's own thread, driven as the engine drives them."""

import itertools
import random
from collections.abc import Callable
from typing import Any

from inference.engine.config import EngineConfig
from inference.engine.plan import LaunchedStep
from inference.engine.runner import Runner
from inference.engine.scheduler import Scheduler
from inference.engine.sequence import Sequence, SequenceStatus
from inference.request import SamplingParams

GREEDY = SamplingParams(temperature=0)
CHUNKS = (7, 32, 512)  # prompt tokens of a step

_numbers = itertools.count()


def make_sequence(
    prompt: list[int], max_tokens: int, sampling: SamplingParams = GREEDY
) -> Sequence:
    return Sequence(f"p{next(_numbers)}", list(prompt), sampling, max_tokens)


def make_prompts(count: int, vocabulary: int = 256) -> list[list[int]]:
    """Prompts of 1 to 120 tokens; every third one begins like the one before it."""
    numbers = random.Random(3)
    prompts: list[list[int]] = []
    for index in range(count):
        length = 1 if index < 2 else numbers.randint(2, 120)
        prompt = [numbers.randrange(vocabulary) for _ in range(length)]
        if index % 3 == 2:
            prompt = prompts[-1] + prompt
        prompts.append(prompt)
    return prompts


class StepLoop:
    """A scheduler and a runner, one step ahead like the engine's loop.

    chunk: prompt tokens of a step at most; max_running: rows.
    """

    def __init__(self, runner: Runner, *, chunk: int = 512, max_running: int = 8) -> None:
        self.runner = runner
        self.scheduler = Scheduler(
            EngineConfig(max_running=max_running, max_step_tokens=chunk, max_prefill_tokens=chunk)
        )
        self._in_flight: LaunchedStep | None = None

    def add(self, sequence: Sequence) -> Sequence:
        self.scheduler.add(sequence)
        return sequence

    def abort(self, sequence: Sequence) -> None:
        self.scheduler.end(sequence)

    def step(self) -> None:
        for sequence in self.scheduler.admit():
            sequence.num_computed = sequence.num_cached = self.runner.begin(sequence)
        plan = self.scheduler.schedule()
        launched = self.runner.launch(plan) if plan else None
        if launched is not None:
            for _, error in launched.failed:
                raise error
        if self._in_flight is not None:
            self.scheduler.update(self._in_flight.plan, self.runner.collect(self._in_flight))
        self._in_flight = launched

    def run(self) -> None:
        """Step until nothing is left to do."""
        while not self.scheduler.is_idle or self._in_flight is not None:
            self.step()

    def run_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            assert not self.scheduler.is_idle, "it ended before that came true"
            self.step()

    def answer(self, prompt: list[int], max_tokens: int) -> list[int]:
        """Run one greedy sequence to its end."""
        sequence = self.add(make_sequence(prompt, max_tokens))
        self.run()
        return sequence.output

    def answer_staggered(self, prompts: list[list[int]], max_tokens: int) -> list[list[int]]:
        """Answer all prompts greedily, a new one joining every other step."""
        sequences = [make_sequence(prompt, max_tokens) for prompt in prompts]
        for sequence in sequences:
            self.add(sequence)
            self.step()
            self.step()
        self.run()
        assert all(s.status is SequenceStatus.FINISHED for s in sequences)
        return [sequence.output for sequence in sequences]


def reference(model: Any, prompt: list[int], max_tokens: int) -> list[int]:
    """Return the greedy answer of mlx_lm's own loop."""
    import mlx.core as mx
    from mlx_lm.generate import generate_step

    steps = generate_step(mx.array(prompt), model, max_tokens=max_tokens)
    return [int(token) for token, _ in steps]
