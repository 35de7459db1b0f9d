"""A real model's rows end, fail, are aborted and are forgotten, each without the others."""

import pytest

from inference.engine.model_runner import ModelRunner
from inference.engine.sequence import SequenceStatus
from inference.request import SamplingParams
from tests.plugins.step_loop import StepLoop, make_prompts, make_sequence, reference

MAX_TOKENS = 12
ROOMY = 1 << 28  # bytes of prefix cache that nothing here fills
PROMPTS = make_prompts(30)


@pytest.fixture(scope="module")
def tiny(tiny_model):
    return tiny_model("llama").model


@pytest.fixture(scope="module")
def answers(tiny):
    return [reference(tiny, prompt, MAX_TOKENS) for prompt in PROMPTS]


@pytest.fixture
def make_loop(tiny):
    def make(cache_bytes=0, **limits):
        return StepLoop(ModelRunner(tiny, cache_bytes), **limits)

    return make


def test_a_seed_draws_the_same_alone_and_in_company(make_loop):
    params = [SamplingParams(temperature=1.0, top_p=0.9, seed=seed) for seed in range(8)]
    alone = []
    for prompt, one in zip(PROMPTS, params, strict=False):
        loop = make_loop()
        alone.append(loop.add(make_sequence(prompt, MAX_TOKENS, one)))
        loop.run()

    loop = make_loop()
    together = [
        loop.add(make_sequence(prompt, MAX_TOKENS, one))
        for prompt, one in zip(PROMPTS, params, strict=False)
    ]
    loop.run()

    assert [s.output for s in together] == [s.output for s in alone]


def test_rows_of_every_length_finish_early(make_loop, answers):
    loop = make_loop(chunk=32)
    sequences = [
        loop.add(make_sequence(prompt, number % MAX_TOKENS + 1))
        for number, prompt in enumerate(PROMPTS)
    ]
    loop.run()

    for sequence, answer in zip(sequences, answers, strict=True):
        assert sequence.output == answer[: sequence.max_tokens]


def test_stop_tokens_end_rows_in_the_middle_of_a_batch(make_loop, answers):
    loop = make_loop(ROOMY)
    sequences = []
    for prompt, answer in zip(PROMPTS, answers, strict=True):
        sequence = make_sequence(prompt, MAX_TOKENS)
        sequence.stop_token_ids = frozenset({answer[len(prompt) % MAX_TOKENS]})
        sequences.append(loop.add(sequence))
    loop.run()

    for sequence, answer in zip(sequences, answers, strict=True):
        (stop,) = sequence.stop_token_ids
        assert sequence.output == answer[: answer.index(stop) + 1]
    # What the surplus step wrote is not taken for the prefix of anything.
    assert loop.answer_staggered(PROMPTS, MAX_TOKENS) == answers


@pytest.mark.parametrize("state", list(SequenceStatus)[:-1])
def test_an_abort_in_any_state_leaves_the_others_right(state, make_loop, answers):
    loop = make_loop(ROOMY, chunk=16, max_running=4)
    longest = sorted(PROMPTS, key=len)[-4:]
    for offset in range(4):
        victim = make_sequence([7, 7, *longest[offset]], 100)
        neighbours = [loop.add(make_sequence(p, MAX_TOKENS)) for p in PROMPTS[offset : offset + 2]]
        if state is SequenceStatus.WAITING:
            neighbours += [loop.add(make_sequence(p, MAX_TOKENS)) for p in PROMPTS[10:14]]
        loop.add(victim)
        loop.step()
        loop.run_until(lambda victim=victim: victim.status is state)
        for _ in range(offset if state is not SequenceStatus.WAITING else 0):
            loop.step()

        loop.abort(victim)
        loop.run()

        expected = [answers[PROMPTS.index(sequence.prompt)] for sequence in neighbours]
        assert [sequence.output for sequence in neighbours] == expected
    assert loop.runner.stats().kv_bytes == 0
    assert loop.answer_staggered(PROMPTS, MAX_TOKENS) == answers


def test_a_sequence_aborted_before_its_first_chunk_leaves_nothing(make_loop, answers):
    loop = make_loop(ROOMY, chunk=16)
    first = loop.add(make_sequence(max(PROMPTS, key=len), MAX_TOKENS))
    victim = loop.add(make_sequence([7, *PROMPTS[5]], MAX_TOKENS))
    loop.step()

    loop.abort(victim)
    loop.run()

    assert (victim.num_computed, victim.output) == (0, [])
    assert first.output == answers[PROMPTS.index(first.prompt)]


@pytest.mark.parametrize("max_bytes", [0, 100_000, 500_000])
def test_the_prefix_cache_keeps_within_its_bytes(max_bytes, make_loop, answers):
    loop = make_loop(max_bytes, chunk=32)

    for prompt, answer in zip(PROMPTS, answers, strict=True):
        assert loop.answer(prompt, MAX_TOKENS) == answer
        assert loop.runner.stats().cache_bytes <= max_bytes

    assert loop.runner.stats().kv_bytes == 0


def test_a_reset_forgets_everything_and_the_next_answer_is_right(tiny, answers):
    runner = ModelRunner(tiny, ROOMY)
    broken = StepLoop(runner, chunk=16)
    for prompt in PROMPTS[:10]:
        broken.add(make_sequence(prompt, MAX_TOKENS))
    for _ in range(9):
        broken.step()

    runner.reset()

    stats = runner.stats()
    assert (stats.cache_entries, stats.cache_bytes, stats.kv_bytes) == (0, 0, 0)
    assert StepLoop(runner).answer_staggered(PROMPTS, MAX_TOKENS) == answers


def test_a_prompt_that_fails_fails_alone(tiny, answers):
    runner = ModelRunner(tiny, ROOMY)
    loop = StepLoop(runner)
    good = loop.add(make_sequence(PROMPTS[3], MAX_TOKENS))
    bad = loop.add(make_sequence(PROMPTS[4], MAX_TOKENS))
    for sequence in loop.scheduler.admit():
        runner.begin(sequence)
    del runner._prefilling[bad]

    step = runner.launch(loop.scheduler.schedule())
    for sequence, _ in step.failed:
        loop.abort(sequence)
    loop.run()

    assert [sequence for sequence, _ in step.failed] == [bad]
    assert good.output == answers[3]
