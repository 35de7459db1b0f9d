"""The stream of a run: what it is when its reader leaves, and when the run fails."""

import asyncio
import threading

import pytest

from memory.api import synthesize
from memory.synthesis import current, events


@pytest.fixture
def run(monkeypatch):
    """Call with what a run does in place of all stages."""
    return lambda work: monkeypatch.setattr(current, "synthesize", work)


async def test_a_run_is_told_to_stop_when_its_reader_leaves(run):
    stopped = threading.Event()

    def work(tell, stop):
        tell(events.log("it begins"))
        if stop.wait(10):
            stopped.set()

    run(work)
    body = synthesize._body(dry=False)

    assert "it begins" in await anext(body)
    await body.aclose()
    assert await asyncio.to_thread(stopped.wait, 10)


async def test_a_silent_run_shows_that_the_stream_lives(run, monkeypatch):
    monkeypatch.setattr(synthesize, "KEEP_ALIVE_SECONDS", 0.01)
    go_on = threading.Event()
    run(lambda tell, stop: go_on.wait(10))

    body = synthesize._body(dry=False)

    assert await anext(body) == synthesize.KEEP_ALIVE
    go_on.set()
    assert [part async for part in body if part != synthesize.KEEP_ALIVE] == [synthesize.DONE]


async def test_a_run_that_breaks_says_so_and_nothing_of_the_reason(run, caplog):
    def work(tell, stop):
        raise RuntimeError("a secret")

    run(work)

    told = "".join([part async for part in synthesize._body(dry=False)])

    assert told == f'data: {{"type":"error","message":"{synthesize.FAILED}"}}\n\n'
    assert "a secret" in caplog.text
