"""Outputs cross from a thread to an event loop: all of a step in one wake-up."""

import asyncio

from inference.engine.plan import TokenOutput, TokenScores
from inference.engine.stream import BLOCK, TokenStream, deliver
from inference.events import FinishReason


class Loop:
    """An event loop's door, counting the knocks; closed, it refuses like a real one."""

    def __init__(self, closed=False):
        self.closed = closed
        self.calls = []

    def call_soon_threadsafe(self, callback, *arguments):
        if self.closed:
            raise RuntimeError("Event loop is closed")
        self.calls.append((callback, arguments))


def test_a_step_costs_one_wake_up_per_loop():
    here, there = Loop(), Loop()
    streams = [TokenStream(here), TokenStream(here), TokenStream(there)]

    deliver([(stream, TokenOutput("a")) for stream in streams])

    assert (len(here.calls), len(there.calls)) == (1, 1)


def test_nothing_to_tell_wakes_nobody():
    deliver([])


def test_a_loop_that_refuses_because_it_closed_is_passed_over():
    open_loop = Loop()
    streams = [TokenStream(Loop(closed=True)), TokenStream(open_loop)]

    deliver([(stream, TokenOutput("a")) for stream in streams])

    assert len(open_loop.calls) == 1


async def test_a_reader_that_lags_gets_all_that_waits_in_order():
    stream = TokenStream(asyncio.get_running_loop())
    outputs = [TokenOutput("a", (token,)) for token in range(3)]

    deliver([(stream, output) for output in outputs])

    assert await stream.next_outputs() == outputs


async def test_a_reader_that_lags_far_gets_the_same_tokens_in_fewer_outputs():
    stream = TokenStream(asyncio.get_running_loop())
    tokens = range(2 * BLOCK + 1)
    for token in tokens:
        reason = FinishReason.STOP if token == tokens[-1] else None
        stream.push(TokenOutput("a", (token,), reason, scores=(TokenScores(-token),)))

    outputs = await stream.next_outputs()

    assert len(outputs) == 3
    assert [token for output in outputs for token in output.token_ids] == list(tokens)
    assert [score.chosen for output in outputs for score in output.scores] == [-t for t in tokens]
    assert [output.finish_reason for output in outputs] == [None, None, FinishReason.STOP]


async def test_an_end_in_a_full_block_is_not_lost():
    stream = TokenStream(asyncio.get_running_loop())
    for token in range(BLOCK - 1):
        stream.push(TokenOutput("a", (token,)))
    stream.push(TokenOutput("a", error="broken"))

    [output] = await stream.next_outputs()

    assert (len(output.token_ids), output.error) == (BLOCK - 1, "broken")


async def test_a_nudge_wakes_the_reader_with_nothing():
    stream = TokenStream(asyncio.get_running_loop())

    stream.nudge()

    assert await stream.next_outputs() == []


async def test_a_nudge_takes_nothing_from_the_news():
    stream = TokenStream(asyncio.get_running_loop())
    output = TokenOutput("a", (1,))

    stream.push(output)
    stream.nudge()

    assert await stream.next_outputs() == [output]
