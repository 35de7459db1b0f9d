"""An answer that was cut short goes on where an equal request finds it, token by token."""

import asyncio
from dataclasses import replace

import pytest

from inference.engine.cache.memory_guard import MemoryGuard
from inference.events import FinishReason
from inference.request import SamplingParams
from tests.plugins.scripted_engine import eventually, tokens
from tests.plugins.ssd_engine import SsdEngine
from tests.plugins.step_loop import GREEDY, make_sequence

PROMPT = list(range(40, 90))
LENGTH = 60  # tokens of a whole answer
EVERY = 8
KEY = "a" * 32
SAMPLED = SamplingParams(
    temperature=1.0, top_p=0.9, repetition_penalty=1.2, frequency_penalty=0.3, seed=12345
)


@pytest.fixture
def open_engine(tiny_checkpoint, tmp_path):
    engines = []

    def start(kind="llama", **fields):
        fields = {"max_rows": 1, "save_every": EVERY, **fields}
        engines.append(SsdEngine(tiny_checkpoint(kind), tmp_path / "cache", **fields).start())
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


def make(sampling=GREEDY, **fields):
    sequence = make_sequence(PROMPT, LENGTH, sampling)
    sequence.generation_key = KEY
    for name, value in fields.items():
        setattr(sequence, name, value)
    return sequence


async def whole(engine, sequence):
    return await engine.read(engine.engine.submit(sequence))


async def cut_short(engine, sequence, *, after):
    """Let a sequence go on for so many tokens, and the engine end once they are saved."""
    stream = engine.engine.submit(sequence)
    seen = []
    while len(seen) < after:
        seen += tokens(await stream.next_outputs())
    await saved(engine)
    engine.engine.abort(sequence.id)
    engine.close()
    return seen


async def saved(engine):
    for _ in range(500):
        if engine.checkpoints:
            return
        await asyncio.sleep(0.01)
    pytest.fail("nothing was saved")


@pytest.mark.parametrize(
    ("kind", "sampling"),
    [("llama", GREEDY), ("llama", SAMPLED), ("sliding", SAMPLED), ("qwen3_5", SAMPLED)],
    ids=["greedy", "sampled", "window", "recurrent"],
)
async def test_the_whole_equals_an_answer_that_was_not_interrupted(kind, sampling, open_engine):
    uninterrupted = open_engine(kind, save_every=None)
    expected = tokens(await whole(uninterrupted, make(sampling)))
    uninterrupted.close()
    await cut_short(open_engine(kind, slow=True), make(sampling), after=20)

    engine = open_engine(kind)
    outputs = await whole(engine, make(sampling))

    assert len(outputs[0].token_ids) >= EVERY  # the saved part comes at once
    assert len(outputs[0].token_ids) % EVERY == 0
    assert tokens(outputs) == expected
    assert outputs[-1].finish_reason is FinishReason.LENGTH
    assert outputs[-1].cached_tokens == len(PROMPT) - 1


async def test_without_a_seed_of_its_own_it_goes_on_with_the_one_that_was_drawn(open_engine):
    first = await cut_short(open_engine(slow=True), make(SAMPLED), after=20)

    engine = open_engine()
    outputs = await whole(engine, make(replace(SAMPLED, seed=999)))
    expected = tokens(await whole(engine, make(SAMPLED, generation_key=None)))

    assert tokens(outputs) == expected
    assert expected[: len(first)] == first


async def test_log_probabilities_come_again_as_well(open_engine):
    await cut_short(open_engine(slow=True), make(logprobs=2), after=20)

    engine = open_engine()
    outputs = await whole(engine, make(logprobs=2))
    expected = await whole(engine, make(logprobs=2, generation_key=None))

    scores = [score for output in outputs for score in output.scores]
    assert [score.chosen for score in scores] == pytest.approx(
        [score.chosen for output in expected for score in output.scores], abs=1e-5
    )
    assert len(scores) == LENGTH and len(scores[0].top) == 2


@pytest.mark.parametrize(
    "change",
    [{"generation_key": "b" * 32}, {"prompt": [1, *PROMPT]}, {"max_tokens": 3}],
    ids=["key", "prompt", "limit"],
)
async def test_a_different_request_starts_over(change, open_engine):
    await cut_short(open_engine(slow=True), make(), after=20)

    engine = open_engine()
    outputs = await whole(engine, make(**change))

    assert len(outputs[0].token_ids) == 1


async def test_once_complete_it_is_deleted(open_engine):
    engine = open_engine(slow=True)
    stream = engine.engine.submit(make())
    await saved(engine)

    await engine.read(stream)
    engine.flush()

    assert engine.checkpoints == []


async def test_equal_requests_that_wait_have_answers_of_their_own(open_engine):
    """They begin in the moment in which the one before them is complete."""
    engine = open_engine()
    sequences = [make(replace(SAMPLED, seed=seed)) for seed in range(4)]
    streams = [engine.engine.submit(sequence) for sequence in sequences]

    answers = [await engine.read(stream) for stream in streams]

    assert [len(outputs[0].token_ids) for outputs in answers] == [1] * len(answers)
    assert len({tuple(tokens(outputs)) for outputs in answers}) == len(answers)


async def test_a_step_that_fails_after_its_end_does_not_bring_it_back(open_engine):
    engine = open_engine()
    expected = tokens(await whole(engine, make(SAMPLED, generation_key=None)))
    launch = engine.runner.launch

    def fail_once(plan):
        if not any(sequence.generation_key for sequence in plan.ended):
            return launch(plan)
        engine.runner.launch = launch
        raise RuntimeError("the step after its end failed")

    engine.runner.launch = fail_once
    first = await whole(engine, make(SAMPLED))
    await eventually(lambda: engine.runner.launch is launch)
    second = await whole(engine, make(replace(SAMPLED, seed=999)))

    assert tokens(first) == expected
    assert len(second[0].token_ids) == 1


async def test_a_stop_string_completes_it_too(open_engine):
    engine = open_engine(slow=True)
    sequence = make()
    engine.engine.submit(sequence)
    await saved(engine)

    engine.engine.abort(sequence.id, FinishReason.STOP)
    while engine.engine.stats().active:
        await asyncio.sleep(0.01)
    engine.flush()

    assert engine.checkpoints == []


async def test_when_memory_runs_out_it_stays(open_engine):
    shortage = []
    guard = MemoryGuard(1, 1, in_use=lambda: len(shortage))
    engine = open_engine(slow=True, guard=guard)
    expected = tokens(await whole(engine, make(generation_key=None)))
    stream = engine.engine.submit(make())
    await saved(engine)
    shortage.append("now")

    failed = await engine.read(stream)
    shortage.clear()
    outputs = await whole(engine, make())

    assert "memory ran out" in failed[-1].error
    assert len(outputs[0].token_ids) >= EVERY
    assert tokens(outputs) == expected


async def test_a_damaged_one_is_a_start_from_the_beginning(open_engine):
    before = open_engine(slow=True)
    await cut_short(before, make(), after=20)
    (path,) = before.checkpoints
    path.write_bytes(path.read_bytes()[:-9])

    outputs = await whole(open_engine(), make())

    assert len(outputs[0].token_ids) == 1
    assert len(tokens(outputs)) == LENGTH
