"""Reported log-probabilities are mlx_lm's, whatever changes the logits and whoever is beside."""

from dataclasses import dataclass, fields
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.generate import generate_step
from mlx_lm.sample_utils import make_logits_processors

from inference.engine.model_runner import ModelRunner
from inference.engine.sequence import Sequence
from inference.request import SamplingParams
from tests.plugins.step_loop import GREEDY, StepLoop, make_prompts, make_sequence

TOLERANCE = 1e-4
MAX_TOKENS = 10
TOP = 5
KINDS = ["llama", "sliding", "gemma3_text", "gemma4_text", "qwen3_5", "experts", "mamba2"]
PROMPTS = [prompt[:60] for prompt in make_prompts(12)]
WAYS: list[dict[str, Any]] = [
    {},
    {"logit_bias": {7: 3.0, 12: -100.0}},
    {"repetition_penalty": 1.3, "repetition_context_size": 20},
    {"presence_penalty": 1.5, "presence_context_size": 4},
    {"frequency_penalty": 0.7, "frequency_context_size": 0},
    {
        "logit_bias": {40: 2.0},
        "repetition_penalty": 0.8,
        "presence_penalty": 0.5,
        "frequency_penalty": -0.5,
        "frequency_context_size": 9,
    },
]


@dataclass
class Expected:
    """What mlx_lm says of a prompt: its tokens, and (T, V) log-probabilities."""

    tokens: list[int]
    logprobs: mx.array


def expect(model: Any, prompt: list[int], params: SamplingParams) -> Expected:
    names = {field.name for field in fields(params)} & set(
        make_logits_processors.__code__.co_varnames
    )
    settings = {name: getattr(params, name) for name in names}
    if params.repetition_penalty == 1.0:
        settings["repetition_penalty"] = None
    steps = generate_step(
        mx.array(prompt),
        model,
        max_tokens=MAX_TOKENS,
        logits_processors=make_logits_processors(**settings),
    )
    tokens, logprobs = zip(*steps, strict=True)
    return Expected(list(tokens), mx.stack(logprobs))


def ask(prompt: list[int], params: SamplingParams = GREEDY, top: int = TOP) -> Sequence:
    sequence = make_sequence(prompt, MAX_TOKENS, params)
    sequence.logprobs = top
    return sequence


def check(sequence: Sequence, loop: StepLoop, expected: Expected) -> None:
    """Compare what a sequence heard, chosen and best, with what mlx_lm says."""
    assert sequence.output == expected.tokens
    scores = loop.scores[sequence]
    assert len(scores) == len(sequence.output)
    for token, score, logprobs in zip(sequence.output, scores, expected.logprobs, strict=True):
        best = mx.sort(logprobs)[::-1][: sequence.logprobs].tolist()
        assert score.chosen == pytest.approx(logprobs[token].item(), abs=TOLERANCE)
        assert [value for _, value in score.top] == pytest.approx(best, abs=TOLERANCE)
        for candidate, value in score.top:
            assert value == pytest.approx(logprobs[candidate].item(), abs=TOLERANCE)


@pytest.fixture(params=KINDS)
def model(request, tiny_model):
    return tiny_model(request.param).model


@pytest.mark.parametrize("way", WAYS, ids=["-".join(way) or "plain" for way in WAYS])
def test_alone(way, model):
    params = SamplingParams(temperature=0, **way)
    loop = StepLoop(ModelRunner(model, 0), chunk=32)

    for prompt in PROMPTS[3:5]:
        sequence = ask(prompt, params)
        loop.answer_all([sequence])

        check(sequence, loop, expect(model, prompt, params))


def test_in_a_batch_where_every_row_samples_in_its_own_way(model):
    params = [SamplingParams(temperature=0, **WAYS[n % len(WAYS)]) for n in range(len(PROMPTS))]
    loop = StepLoop(ModelRunner(model, 0), chunk=32)
    asked = [ask(p, one, top=n % 4) for n, (p, one) in enumerate(zip(PROMPTS, params, strict=True))]
    silent = make_sequence(PROMPTS[0], MAX_TOKENS, SamplingParams(temperature=1.0, seed=3))

    loop.answer_all([silent, *asked])

    assert silent not in loop.scores
    assert loop.most_rows > 4
    for sequence, one in zip(asked, params, strict=True):
        check(sequence, loop, expect(model, sequence.prompt, one))


@pytest.mark.parametrize("lengths", [(12, 3), (50, 3), (3, 50, 20)])
def test_rows_of_unequal_length_score_as_they_do_alone(lengths, model):
    """Public case cb-02; of the lengths, 50 is more than any window."""
    loop = StepLoop(ModelRunner(model, 0))
    asked = [ask([length * 3 + n for n in range(length)], top=259) for length in lengths]

    loop.answer_all(asked)

    assert loop.most_rows == len(lengths)
    for sequence in asked:
        check(sequence, loop, expect(model, sequence.prompt, GREEDY))
