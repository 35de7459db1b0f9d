"""What is measured of sequences that decode alone, through the real engine."""

import asyncio

import pytest

from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from tests.plugins.scripted_engine import PATIENCE, make_runner, make_sequence, read

STEP_SECONDS = 0.002


@pytest.fixture
def reports():
    return []


@pytest.fixture
def engine(reports):
    engine = Engine(
        lambda: make_runner(step_seconds=STEP_SECONDS),
        EngineConfig(),
        report_rate=lambda tokens, seconds: reports.append((tokens, seconds)),
    )
    engine.start()
    yield engine
    engine.stop(PATIENCE)


async def run(engine, **fields):
    await read(engine.submit(make_sequence(**fields)))


async def test_the_tokens_after_the_first_are_timed(engine, reports):
    await run(engine, max_tokens=20)

    [(tokens, seconds)] = reports
    assert tokens == 19
    assert 19 * STEP_SECONDS <= seconds < PATIENCE


async def test_each_sequence_is_told_of_by_itself(engine, reports):
    await run(engine, max_tokens=5)
    await run(engine, max_tokens=9)

    assert [tokens for tokens, _ in reports] == [4, 8]


async def test_steps_with_company_do_not_count(engine, reports):
    await asyncio.gather(run(engine, max_tokens=30), run(engine, max_tokens=50))

    assert sum(tokens for tokens, _ in reports) < 25  # of the longer one, what came after


async def test_a_prompt_in_between_begins_the_count_anew(engine, reports, step_gate):
    answers = [asyncio.create_task(run(engine, max_tokens=60))]
    while engine.stats().completion_tokens < 20:
        await asyncio.sleep(STEP_SECONDS)
    answers.append(asyncio.create_task(run(engine, prompt=40, max_tokens=2)))
    await asyncio.gather(*answers)

    assert max(tokens for tokens, _ in reports) < 40


@pytest.mark.parametrize("fields", [{"logprobs": 2}, {"adapted_model": object()}])
async def test_what_is_slow_on_purpose_is_not_timed(engine, reports, fields):
    await run(engine, max_tokens=20, **fields)

    assert reports == []
