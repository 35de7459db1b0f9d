"""Steps of a real model on the test's own thread, driven as the engine drives them."""

import itertools
import random
from collections import defaultdict
from typing import Any

from benchmarks import step_loop
from inference.engine.plan import StepPlan, StepResult, TokenScores
from inference.engine.runner import Runner
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
    """Prompts of 1 to 120 tokens, most of them short; every third begins like the one before."""
    numbers = random.Random(3)
    prompts: list[list[int]] = []
    for index in range(count):
        length = 1 if index < 2 else numbers.randint(40, 120) if index % 4 == 3 else index % 13 + 2
        prompt = [numbers.randrange(vocabulary) for _ in range(length)]
        if index % 3 == 2:
            prompt = prompts[-1] + prompt
        prompts.append(prompt)
    return prompts


class StepLoop(step_loop.StepLoop):
    """The benchmarks' step loop, with the questions that tests put to it.

    scores: what each sequence heard of its tokens' log-probabilities.
    failures: sequences that could not be computed, with the reason.
    most_rows: the most rows that ever shared a step.
    """

    def __init__(self, runner: Runner, **limits: int) -> None:
        super().__init__(runner, **limits)
        self.scores: dict[Sequence, list[TokenScores]] = defaultdict(list)
        self.failures: list[tuple[Sequence, Exception]] = []
        self.most_rows = 0

    def update(self, plan: StepPlan, result: StepResult) -> None:
        self.most_rows = max(self.most_rows, len(plan.decodes))
        for row, scores in result.scores.items():
            if plan.decodes[row].status is SequenceStatus.RUNNING:
                self.scores[plan.decodes[row]].append(scores)
        super().update(plan, result)

    def fail(self, sequence: Sequence, error: Exception) -> None:
        self.failures.append((sequence, error))
        self.scheduler.end(sequence)

    def answer(self, prompt: list[int], max_tokens: int) -> list[int]:
        """Run one greedy sequence to its end."""
        return self.answer_all([make_sequence(prompt, max_tokens)])[0]

    def answer_all(self, sequences: list[Sequence]) -> list[list[int]]:
        """Run all to their ends, a new one joining at every step."""
        for sequence in sequences:
            self.add(sequence)
            self.step()
        self.run()
        assert not self.failures
        return [sequence.output for sequence in sequences]

    def answer_staggered(self, prompts: list[list[int]], max_tokens: int) -> list[list[int]]:
        """Answer all prompts greedily, a new one joining at every step."""
        return self.answer_all([make_sequence(prompt, max_tokens) for prompt in prompts])


def reference(model: Any, prompt: list[int], max_tokens: int) -> list[int]:
    """Return the greedy answer of mlx_lm's own loop."""
    import mlx.core as mx
    from mlx_lm.generate import generate_step

    steps = generate_step(mx.array(prompt), model, max_tokens=max_tokens)
    return [int(token) for token, _ in steps]
