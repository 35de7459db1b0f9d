"""Server-sent events: one line each, and an end on every path."""

import asyncio
import json

import pytest

from inference.api import sse
from inference.events import Idle, Started, TextDelta


class Generation:
    """Yields given events, then raises if told to; counts how often it is closed."""

    warnings = ()

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


def test_an_event_can_have_a_name():
    assert sse.encode({"a": 1}, "ping") == 'event: ping\ndata: {"a":1}\n\n'


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


@pytest.mark.django_db  # closing a response has Django look at open connections
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


class Clock:
    """An event loop's time and timers, moved by hand."""

    def __init__(self):
        self.now, self.timers = 0.0, []

    def time(self):
        return self.now

    def call_later(self, seconds, callback):
        timer = Timer(self.now + seconds, callback)
        self.timers.append(timer)
        return timer

    def pass_to(self, now):
        while due := [t for t in self.timers if not t.cancelled and t.at <= now]:
            timer = min(due, key=lambda timer: timer.at)
            self.timers.remove(timer)
            self.now = timer.at
            timer.callback()
        self.now = now


class Timer:
    def __init__(self, at, callback):
        self.at, self.callback, self.cancelled = at, callback, False

    def cancel(self):
        self.cancelled = True


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(sse.asyncio, "get_running_loop", lambda: clock)
    return clock


@pytest.fixture
def silences(clock):
    """When a timer of five seconds rang for silence."""
    return []


@pytest.fixture
def timer(clock, silences):
    return sse._SilenceTimer(5, lambda: silences.append(clock.now))


def test_every_five_seconds_of_silence_count(clock, timer, silences):
    with timer:
        clock.pass_to(16)

    assert silences == [5, 10, 15]


def test_silence_begins_where_something_was_sent(clock, timer, silences):
    with timer:
        for second in (3, 6, 9):
            clock.pass_to(second)
            timer.sent()
        clock.pass_to(15)

    assert silences == [14]


def test_there_is_one_timer_however_much_is_sent(clock, timer):
    with timer:
        for step in range(1000):
            clock.pass_to(step / 100)
            timer.sent()

            assert len(clock.timers) == 1


def test_nothing_rings_after_the_end(clock, timer, silences):
    with timer:
        clock.pass_to(4)
    clock.pass_to(100)

    assert silences == []


async def test_only_what_is_sent_breaks_the_silence(monkeypatch):
    """Not events that are held back, as those of a long tool call."""
    sent = []
    monkeypatch.setattr(sse._SilenceTimer, "sent", lambda timer: sent.append(True))
    monkeypatch.setattr(sse._SilenceTimer, "__enter__", lambda timer: timer)
    monkeypatch.setattr(sse._SilenceTimer, "__exit__", lambda timer, *exception: None)
    generation = Generation(Started(1), TextDelta("a"), TextDelta("b"))

    await body_of(
        sse.stream(generation, lambda e: ["x"] if isinstance(e, Started) else [], "broken")
    )

    assert len(sent) == 1


def test_a_comment_is_what_clients_skip():
    assert sse.KEEP_ALIVE == ": keep-alive\n\n"
    assert sse.KEEP_ALIVE_SECONDS < 15
