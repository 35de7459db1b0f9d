"""The benchmarks' workloads against a running server, with the scripted model."""

from benchmarks.workloads import (
    cold_first_token,
    decode_rate,
    warm_first_token,
    worst_gap_steps,
)

TIMEOUT = 30


async def test_first_tokens_are_timed(server):
    assert 0 < await cold_first_token(server, 50, TIMEOUT) < TIMEOUT
    assert 0 < await warm_first_token(server, 50, TIMEOUT) < TIMEOUT


async def test_streams_have_a_rate(server):
    # A step takes two milliseconds, so a stream cannot have more than 500 tokens a second.
    assert 0 < await decode_rate(server, 3, 30, TIMEOUT) < 3 * 500


async def test_a_pause_beside_a_long_prompt_is_found(server):
    assert await worst_gap_steps(server, 50, TIMEOUT) > 0
