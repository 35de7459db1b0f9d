"""Harmony's messages told apart: what a gpt-oss model thinks, says, and sends to tools.

Reasoning is the message on the channel `analysis`, the answer those on `final` and, before a
call, `commentary`. Their headers and ends are markup. Messages to a recipient stay as they are,
for the format of calls to read (`inference/text/tools/harmony.py`). What is no header is text.
"""

from collections.abc import Iterator

from inference.text.reasoning import Channel, Piece, TrailingBlank
from inference.text.tools.harmony import (
    BODY,
    CHANNEL,
    ENDS,
    MESSAGE,
    RECIPIENT,
    START,
    read_header,
)
from inference.text.tools.source import Literals, Reading, Source

_STARTS = Literals(START, CHANNEL)
_BEGINNINGS = Literals(RECIPIENT, MESSAGE)  # of a header that the prompt has begun
_MARKERS = Literals(START, CHANNEL, *ENDS.texts)
_BETWEEN = "\n\n"


class HarmonySplitter:
    """A `Splitter`. Several messages on one side are joined by a blank line."""

    def __init__(self, *, is_open: bool) -> None:
        """is_open: whether the prompt left reasoning open."""
        self.is_reasoning = is_open
        self._source = Source()
        self._pieces: list[Piece] = []
        self._number = 0  # of the message
        self._shown_in: dict[Channel, int] = {}  # the last message of which anything was shown
        self._steps = self._read()

    def feed(self, text: str) -> list[Piece]:
        """Return what became certain."""
        self._source.add(text)
        return self._advance()

    def finish(self) -> list[Piece]:
        """Return what was held back. `is_reasoning` tells whether reasoning never ended."""
        self._source.end()
        return self._advance()

    def _advance(self) -> list[Piece]:
        next(self._steps, None)
        pieces, self._pieces = self._pieces, []
        return pieces

    def _read(self) -> Iterator[None]:
        if self.is_reasoning:
            yield from self._read_reasoning()
        else:
            yield from self._read_beginning()
        while not self._source.exhausted:
            self._source.mark()
            if self._source.here(ENDS):
                yield from self._source.skip(ENDS)
                yield from self._skip_layout()
            elif self._source.here(_STARTS):
                yield from self._read_message()
            else:
                self._show(Channel.ANSWER, self._source.take_certain(_MARKERS))
                if not self._source.here(_MARKERS) and not self._source.ended:
                    yield

    def _read_beginning(self) -> Reading[None]:
        """Read the header that the prompt has begun, if it goes on without a channel."""
        blank = yield from self._source.space()
        if (yield from self._source.at(_BEGINNINGS)):
            yield from self._read_message()
        else:
            self._show(Channel.ANSWER, blank)

    def _read_message(self) -> Reading[None]:
        header = yield from read_header(self._source)
        if not header.is_markup:
            self._show(Channel.ANSWER, self._source.since_mark())
            return
        self._number += 1
        if header.recipient:
            yield from BODY.read(self._source)
            yield from self._source.skip(ENDS)
            self._emit(Channel.ANSWER, self._source.since_mark())
            yield from self._skip_layout()
        elif header.channel == "analysis":
            yield from self._read_reasoning()

    def _read_reasoning(self) -> Reading[None]:
        self.is_reasoning = True
        yield from self._source.space()
        trailing = TrailingBlank()
        while not self._source.exhausted:
            self._source.mark()
            text = self._source.take_certain(_MARKERS)
            self._show(Channel.REASONING, trailing.add(text))
            if self._source.here(_MARKERS):
                self.is_reasoning = False
                return
            if not self._source.ended:
                yield

    def _skip_layout(self) -> Reading[None]:
        """Take the blank text between two messages."""
        blank = yield from self._source.space()
        if not (yield from self._source.at(_MARKERS)) and not self._source.exhausted:
            self._show(Channel.ANSWER, blank)

    def _show(self, channel: Channel, text: str) -> None:
        if text and self._shown_in.setdefault(channel, self._number) != self._number:
            self._shown_in[channel] = self._number
            text = _BETWEEN + text
        self._emit(channel, text)

    def _emit(self, channel: Channel, text: str) -> None:
        if text:
            self._pieces.append(Piece(channel, text))
