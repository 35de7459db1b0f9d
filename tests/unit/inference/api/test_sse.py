"""Server-sent events: one line each, and an end on every path."""

import asyncio
import json

import pytest

from inference.api import sse
from inference.events import Idle, Started, TextDelta


class Generation:
    """Yields given events, then raises if told to; counts how often it is closed."""

    def __init__(self, *events, error=None):
        self.events, self.error, self.closed = events, error, 0

    def nudge(self):
        raise AssertionError("nothing here lasts long enough to be silent")

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exception):
        self.close()

    def close(self):
        self.closed += 1

    async def __aiter__(self):
        for event in self.events:
            yield event
        if self.error is not None:
            raise self.error


def fold(event):
    yield sse.encode({"event": type(event).__name__})


async def body_of(response):
    return [part.decode() async for part in response]


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "data: x\n\n", "é😀", '"', "\u2028", "\x00"])
def test_an_event_is_one_line_whatever_its_text(text):
    encoded = sse.encode({"text": text})

    assert encoded.startswith("data: ")
    assert encoded.endswith("\n\n")
    assert "\n" not in encoded[:-2] and "\r" not in encoded
    assert json.loads(encoded.removeprefix("data: ")) == {"text": text}


async def test_the_events_are_sent_as_they_are_folded():
    generation = Generation(Started(1), TextDelta("a"))

    response = sse.stream(generation, fold, "broken")

    assert response["Content-Type"] == "text/event-stream; charset=utf-8"
    assert response["Cache-Control"] == "no-cache"
    assert await body_of(response) == [
        sse.encode({"event": "Started"}),
        sse.encode({"event": "TextDelta"}),
    ]
    assert generation.closed


async def test_a_stream_that_breaks_says_so_and_is_logged(caplog):
    generation = Generation(Started(1), error=ZeroDivisionError("secret"))

    parts = await body_of(sse.stream(generation, fold, "broken"))

    assert parts[-1] == "broken"
    assert "a stream broke" in caplog.text
    assert generation.closed


def test_a_response_that_is_never_read_still_closes_the_generation():
    generation = Generation(Started(1))

    sse.stream(generation, fold, "broken").close()

    assert generation.closed == 1


async def test_a_reader_that_leaves_closes_the_generation():
    generation = Generation(Started(1), TextDelta("a"))
    response = sse.stream(generation, fold, "broken")
    await anext(aiter(response))

    response.close()

    assert generation.closed


class SilentGeneration(Generation):
    """Says nothing until it has been nudged `nudges` times."""

    def __init__(self, nudges):
        super().__init__()
        self.nudges, self._nudged = nudges, asyncio.Event()

    def nudge(self):
        self._nudged.set()

    async def __aiter__(self):
        for _ in range(self.nudges):
            await self._nudged.wait()
            self._nudged.clear()
            yield Idle()


async def test_a_silent_stream_is_nudged_again_and_again(monkeypatch):
    monkeypatch.setattr(sse, "KEEP_ALIVE_SECONDS", 0.01)
    response = sse.stream(SilentGeneration(3), lambda event: [sse.KEEP_ALIVE], "broken")

    async with asyncio.timeout(5):
        assert await body_of(response) == [sse.KEEP_ALIVE] * 3


async def test_a_stream_that_talks_is_left_alone(monkeypatch):
    monkeypatch.setattr(sse, "KEEP_ALIVE_SECONDS", 0.2)
    response = sse.stream(TalkingGeneration(), fold, "broken")

    assert len(await body_of(response)) == 30


class TalkingGeneration(Generation):
    """Says something every hundredth of a second, longer than a silence may be."""

    async def __aiter__(self):
        for _ in range(30):
            await asyncio.sleep(0.01)
            yield TextDelta("x")


async def test_text_that_is_not_sent_counts_as_silence(monkeypatch):
    """As when a stream holds back a long tool call."""
    monkeypatch.setattr(sse, "KEEP_ALIVE_SECONDS", 0.05)
    nudged = []
    generation = TalkingGeneration()
    generation.nudge = lambda: nudged.append(True)

    await body_of(sse.stream(generation, lambda event: [], "broken"))

    assert nudged


async def test_a_stream_that_ended_is_not_nudged(monkeypatch):
    monkeypatch.setattr(sse, "KEEP_ALIVE_SECONDS", 0.01)
    generation = Generation(Started(1), error=ZeroDivisionError())
    generation.nudge = lambda: nudged.append(True)
    nudged = []

    await body_of(sse.stream(generation, fold, "broken"))
    await asyncio.sleep(0.03)

    assert not nudged


def test_a_comment_is_what_clients_skip():
    assert sse.KEEP_ALIVE == ": keep-alive\n\n"
    assert sse.KEEP_ALIVE_SECONDS < 15
