"""Models with sliding windows, recurrent states and experts answer as mlx_lm lets them."""

import pytest

from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 12
ROOMY = 1 << 28
PROMPTS = make_prompts(16)


@pytest.fixture(scope="module", params=["sliding", "hybrid", "experts"])
def tiny(request, tiny_model):
    return tiny_model(request.param).model


@pytest.fixture(scope="module")
def answers(tiny):
    return [reference(tiny, prompt, MAX_TOKENS) for prompt in PROMPTS]


def test_the_answers_depend_on_the_prompts(answers):
    assert len({tuple(answer) for answer in answers}) > 12


@pytest.mark.parametrize("chunk", [7, 512])
def test_alone(chunk, tiny, answers):
    loop = StepLoop(ModelRunner(tiny, 0), chunk=chunk)

    assert [loop.answer(prompt, MAX_TOKENS) for prompt in PROMPTS] == answers


def test_in_a_batch_again_and_in_the_next_turn(tiny, answers):
    turns = [
        [*prompt, *answer, 10, 20, 30] for prompt, answer in zip(PROMPTS, answers, strict=True)
    ]
    loop = StepLoop(ModelRunner(tiny, ROOMY), chunk=32)

    first = loop.answer_staggered(PROMPTS, MAX_TOKENS)
    second = loop.answer_staggered(PROMPTS, MAX_TOKENS)
    next_turn = loop.answer_staggered(turns, MAX_TOKENS)

    assert first == second == answers
    assert next_turn == [reference(tiny, prompt, MAX_TOKENS) for prompt in turns]
    assert loop.runner.stats().cache_hits >= len(turns)


def test_rows_that_stop_or_are_aborted_leave_the_others_right(tiny, answers):
    loop = StepLoop(ModelRunner(tiny, ROOMY), chunk=16)
    sequences = []
    for prompt, answer in zip(PROMPTS, answers, strict=True):
        sequence = make_sequence(prompt, MAX_TOKENS)
        sequence.stop_token_ids = frozenset({answer[len(prompt) % MAX_TOKENS]})
        sequences.append(loop.add(sequence))
        victim = loop.add(make_sequence(prompt[::-1], MAX_TOKENS))
        loop.step()
        loop.step()
        loop.abort(victim)
    loop.run()

    for sequence, answer in zip(sequences, answers, strict=True):
        (stop,) = sequence.stop_token_ids
        assert sequence.output == answer[: answer.index(stop) + 1]
    assert loop.answer_staggered(PROMPTS, MAX_TOKENS) == answers
