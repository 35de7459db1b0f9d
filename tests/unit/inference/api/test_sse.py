"""Server-sent events: one line each, and an end on every path."""

import json

import pytest

from inference.api import sse
from inference.events import Started, TextDelta


class Generation:
    """Yields given events, then raises if told to; counts how often it is closed."""

    def __init__(self, *events, error=None):
        self.events, self.error, self.closed = events, error, 0

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
