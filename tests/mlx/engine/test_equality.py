"""Greedy answers are mlx_lm's: whoever shares the step, whatever is cached, whatever the chunks.

Random float32 models have no near-ties, so tokens are compared as they are.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import pytest

from inference.engine.model_runner import ModelRunner
from inference.request import SamplingParams
from tests.plugins.step_loop import CHUNKS, StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 10
ROOMY = 1 << 28  # bytes of prefix cache that nothing here fills
NEXT_MESSAGE = [10, 20, 30, 40]
# Prompts for each kind: as many as count for those that differ most, enough for the rest.
PROMPTS = {
    **dict.fromkeys(["llama", "gemma3_text", "qwen3_5", "experts"], 100),
    **dict.fromkeys(["sliding", "gemma4_text", "hybrid", "qwen3_5_moe"], 16),
    **dict.fromkeys(["deepseek_v3", "mamba2"], 16),
}


@dataclass
class Case:
    """A model and what mlx_lm answers: to prompts, and to turns that follow half of them."""

    model: Any
    prompts: list[list[int]]
    answers: list[list[int]]
    turns: list[list[int]]
    turn_answers: list[list[int]]


@pytest.fixture(scope="module", params=PROMPTS)
def case(request, tiny_model):
    model = tiny_model(request.param).model
    prompts = make_prompts(PROMPTS[request.param])
    answers = [reference(model, prompt, MAX_TOKENS) for prompt in prompts]
    turns = [[*p, *a, *NEXT_MESSAGE] for p, a in zip(prompts, answers, strict=True)][::2]
    return Case(model, prompts, answers, turns, [reference(model, t, MAX_TOKENS) for t in turns])


@pytest.fixture(params=CHUNKS)
def make_loop(case, request):
    return lambda cache_bytes=0: StepLoop(ModelRunner(case.model, cache_bytes), chunk=request.param)


def test_the_answers_depend_on_the_prompts(case):
    assert len({tuple(answer) for answer in case.answers}) > 0.8 * len(case.prompts)


@pytest.mark.parametrize(("smaller", "chunk"), [*itertools.pairwise((0, *CHUNKS))])
def test_alone(case, smaller, chunk):
    loop = StepLoop(ModelRunner(case.model, 0), chunk=chunk)
    # What a smaller chunk holds whole is computed in the same way with this one.
    pairs = [
        (prompt, answer)
        for prompt, answer in zip(case.prompts, case.answers, strict=True)
        if not smaller or len(prompt) - 1 > smaller
    ]

    assert [loop.answer(prompt, MAX_TOKENS) for prompt, _ in pairs] == [a for _, a in pairs]


def test_in_a_batch_that_others_join_and_leave(case, make_loop):
    loop = make_loop()

    assert loop.answer_staggered(case.prompts, MAX_TOKENS) == case.answers
    assert loop.most_rows > 3


def test_with_a_warm_prefix_cache(case, make_loop):
    loop = make_loop(ROOMY)
    loop.answer_staggered(case.prompts, 2)
    hits = loop.runner.stats().cache_hits

    again = loop.answer_staggered(case.prompts, MAX_TOKENS)
    next_turn = loop.answer_staggered(case.turns, MAX_TOKENS)
    alone = [loop.answer(prompt, MAX_TOKENS) for prompt in case.prompts[::9] + case.turns[::9]]

    assert again == case.answers
    assert next_turn == case.turn_answers
    assert alone == case.answers[::9] + case.turn_answers[::9]
    assert loop.runner.stats().cache_hits >= hits + len(case.turns)


def test_beside_rows_that_sample_in_every_other_way(case, make_loop):
    loop = make_loop()
    sequences = []
    for number, prompt in enumerate(case.prompts):
        sequences.append(make_sequence(prompt, MAX_TOKENS))
        sequences.append(make_sequence([number, 7], number % 9 + 1, neighbour(number)))

    assert loop.answer_all(sequences)[::2] == case.answers
    assert loop.most_rows > 3


def neighbour(number: int) -> SamplingParams:
    """Settings that change from one number to the next, every stage among them."""
    ways: list[dict[str, Any]] = [
        {"temperature": 1.0, "seed": number},
        {"temperature": 0.7, "top_p": 0.9, "top_k": number, "seed": 7},
        {"temperature": 0, "repetition_penalty": 1.5, "logit_bias": {number: 5.0, 7: -100.0}},
        {"temperature": 0.5, "presence_penalty": 1.0, "frequency_penalty": 0.5},
        {"temperature": 2.0, "min_p": 0.05, "xtc_probability": 0.5, "repetition_penalty": 1.1},
    ]
    return SamplingParams(**ways[number % len(ways)])
