"""Steps of a real model on the test's own thread, driven as the engine drives them."""

import itertools
import random
from typing import Any

from benchmarks import step_loop
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


class StepLoop(step_loop.StepLoop):
    """The benchmarks' step loop, with the questions that tests put to it."""

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
