"""Thousands of sequences of every shape, many aborted in the middle, leave nothing behind."""

import random
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import pytest

from inference.engine.model_runner import ModelRunner
from inference.engine.sequence import Sequence
from inference.request import SamplingParams
from tests.plugins.step_loop import GREEDY, StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 8
PROMPTS = [prompt[:50] for prompt in make_prompts(40)]
PREFIX_BYTES = 3_000_000  # holds some of the prompts, so that entries come and go
SETTINGS: list[dict[str, Any]] = [
    {"temperature": 1.0, "top_p": 0.9},
    {"temperature": 0.8, "top_k": 5, "seed": 1},
    {"temperature": 0, "repetition_penalty": 1.2, "logit_bias": {3: 2.0}},
    {"temperature": 1.5, "min_p": 0.1, "presence_penalty": 0.5, "frequency_penalty": 0.5},
]


@dataclass
class Crowd:
    """Sequences drawn at random, and the steps after which some of them are aborted."""

    numbers: random.Random
    aborts: dict[Sequence, int] = field(default_factory=dict)

    def draw(self, answers: list[list[int]], *, is_victim: bool) -> Sequence:
        numbers = self.numbers
        index = numbers.randrange(len(PROMPTS))
        prompt, answer = PROMPTS[index], answers[index]
        if numbers.random() < 0.2:
            prompt = prompt + answer[: numbers.randint(1, MAX_TOKENS)]  # goes on where one ended
        sampling = GREEDY
        if numbers.random() < 0.4:
            sampling = SamplingParams(**numbers.choice(SETTINGS))
        sequence = make_sequence(prompt, numbers.randint(1, MAX_TOKENS), sampling)
        sequence.serial = numbers.random() < 0.02
        sequence.logprobs = numbers.choice([None, None, None, 0, 3])
        if is_victim:
            sequence.max_tokens = 1000  # it never ends by itself
            self.aborts[sequence] = numbers.randint(0, 30)
        return sequence


def run(loop: StepLoop, crowd: Crowd, answers: list[list[int]], count: int, aborts: int):
    """Let as many sequences through, a few at a time; return them."""
    victims = set(crowd.numbers.sample(range(count), aborts))
    sequences: list[Sequence] = []
    while len(sequences) < count or not loop.scheduler.is_idle:
        if len(sequences) < count and loop.scheduler.num_pending < 12:
            is_victim = len(sequences) in victims
            sequences.append(loop.add(crowd.draw(answers, is_victim=is_victim)))
        loop.step()
        for sequence in list(crowd.aborts):
            crowd.aborts[sequence] -= 1
            if crowd.aborts[sequence] < 0:
                del crowd.aborts[sequence]
                loop.abort(sequence)
    loop.run()
    return sequences


def memory_without_prefixes(runner: ModelRunner) -> int:
    runner._prefixes.clear()
    mx.clear_cache()
    return mx.get_active_memory()


@pytest.mark.parametrize(
    ("kind", "count", "aborts"),
    [("llama", 2000, 200), ("gemma3_text", 300, 60), ("qwen3_5", 300, 60)],
)
def test_nothing_is_left_and_the_others_are_right(kind, count, aborts, tiny_model):
    model = tiny_model(kind).model
    answers = [reference(model, prompt, MAX_TOKENS) for prompt in PROMPTS]
    runner = ModelRunner(model, PREFIX_BYTES)
    loop = StepLoop(runner, chunk=32)
    crowd = Crowd(random.Random(5))
    run(loop, crowd, answers, 50, 5)
    before = memory_without_prefixes(runner)

    sequences = run(loop, crowd, answers, count, aborts)

    assert sum(len(s.output) < s.max_tokens for s in sequences) == aborts
    assert (runner._batch.rows, runner._batch.layers, runner._prefilling) == ([], [], {})
    assert memory_without_prefixes(runner) <= before
    expected = dict(zip(map(tuple, PROMPTS), answers, strict=True))
    greedy = [s for s in sequences if s.sampling is GREEDY and tuple(s.prompt) in expected]
    assert len(greedy) > count // 3
    for sequence in greedy:
        answer = expected[tuple(sequence.prompt)]
        assert sequence.output[:MAX_TOKENS] == answer[: len(sequence.output)]
