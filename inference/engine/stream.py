"""How tokens cross from the engine thread to an event loop."""

import asyncio
import contextlib
from collections.abc import Iterable
from dataclasses import replace

from inference.engine.plan import TokenOutput

BLOCK = 256
"""Outputs that wait one by one. More are joined: an output of one token takes 180 bytes."""


class TokenStream:
    """The outputs of one sequence, as an asynchronous iterator.

    The engine thread hands outputs over through `deliver`; everything else happens on
    the loop that the stream was made for. A reader that lags gets what is waiting in
    one go, so a busy loop sends fewer, larger pieces.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._blocks: list[TokenOutput] = []  # joined, and older than what waits
        self._waiting: list[TokenOutput] = []
        self._news = asyncio.Event()

    async def next_outputs(self) -> list[TokenOutput]:
        """Wait for news and return all of it, oldest first; empty after a mere `nudge`."""
        await self._news.wait()
        self._news.clear()
        outputs = self._blocks + self._waiting
        self._blocks, self._waiting = [], []
        return outputs

    def nudge(self) -> None:
        """Let the reader go on, news or not. Thread: the stream's loop."""
        self._news.set()

    def push(self, output: TokenOutput) -> None:
        """Append one output. Thread: the stream's loop."""
        self._waiting.append(output)
        if len(self._waiting) == BLOCK:
            self._blocks.append(_joined(self._waiting))
            self._waiting = []
        self._news.set()


def _joined(outputs: list[TokenOutput]) -> TokenOutput:
    """Make one output of several of a sequence; what is told once, the newest tells."""
    token_ids = tuple(token_id for output in outputs for token_id in output.token_ids)
    scores = tuple(score for output in outputs for score in output.scores)
    return replace(outputs[-1], token_ids=token_ids, scores=scores)


def deliver(news: Iterable[tuple[TokenStream, TokenOutput]]) -> None:
    """Hand the outputs of one step to their streams with one wake-up per event loop.

    A wake-up costs the engine a system call (4-9 us per token when done for each, on one
    x86 core), so it is done once a step. Streams whose loop has closed are dropped: nobody
    is left to read them.

    Thread: engine.
    """
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[TokenStream, TokenOutput]]] = {}
    for stream, output in news:
        by_loop.setdefault(stream.loop, []).append((stream, output))
    for loop, pairs in by_loop.items():
        # Asking first whether it is closed would not do: it may close in between.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(_push_all, pairs)


def _push_all(pairs: list[tuple[TokenStream, TokenOutput]]) -> None:
    for stream, output in pairs:
        stream.push(output)
