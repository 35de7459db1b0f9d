"""Rows of every kind of layer cache stop and are aborted without a trace in the others."""

import pytest

from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 12
ROOMY = 1 << 28
PROMPTS = make_prompts(16)
KINDS = ["gemma3_text", "gemma4_text", "qwen3_5", "experts", "deepseek_v3", "mamba2"]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_stop_or_are_aborted_leave_the_others_right(kind, tiny_model):
    model = tiny_model(kind).model
    answers = [reference(model, prompt, MAX_TOKENS) for prompt in PROMPTS]
    loop = StepLoop(ModelRunner(model, ROOMY), chunk=16)
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
