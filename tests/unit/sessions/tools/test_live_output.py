"""What a page is told of a running program: whole characters, now and then, within a limit."""

import asyncio

import pytest

from sessions.tools import live_output
from sessions.tools.live_output import LiveOutput


@pytest.fixture
def told():
    return []


@pytest.fixture
def update(told):
    async def keep(chunk):
        told.append(chunk)

    return keep


async def test_a_character_that_comes_in_two_pieces_is_one(update, told, monkeypatch):
    monkeypatch.setattr(live_output, "INTERVAL", 0)
    async with LiveOutput(update) as live:
        live.feed(b"caf\xc3")
        while not told:
            await asyncio.sleep(0)
        live.feed(b"\xa9!")

    assert told == ["caf", "é!"]


async def test_what_comes_at_once_is_told_at_once(update, told):
    async with LiveOutput(update) as live:
        for _ in range(100):
            live.feed(b"ab")

    assert told == ["ab" * 100]


async def test_of_a_flood_the_end_is_told(update, told):
    async with LiveOutput(update) as live:
        for number in range(10_000):
            live.feed(b"%08d" % number)

    assert len(told) == 1
    assert len(told[0]) == live_output.MOST_AT_ONCE
    assert told[0].endswith("00009999")


async def test_who_prints_for_ever_is_watched_for_a_while(update, told, monkeypatch):
    monkeypatch.setattr(live_output, "INTERVAL", 0)
    async with LiveOutput(update) as live:
        for _ in range(200):
            live.feed(b"x" * 10_000)
            for _ in range(3):  # the task has its turn
                await asyncio.sleep(0)

    assert told[-1].endswith(live_output.SILENCE)
    assert sum(map(len, told)) <= live_output.MOST_IN_ALL + 2 * live_output.MOST_AT_ONCE


async def test_a_half_character_at_the_end_is_told_as_such(update, told):
    async with LiveOutput(update) as live:
        live.feed(b"x\xc3")

    assert told == ["x\ufffd"]


async def test_who_is_cancelled_tells_nothing_more(update, told):
    with pytest.raises(asyncio.CancelledError):
        async with LiveOutput(update) as live:
            live.feed(b"x")
            raise asyncio.CancelledError

    assert told == []
