"""A whole answer, told apart: reasoning, text and calls.

Markup within reasoning is reasoning, with one exception: complete calls that end the answer
while reasoning is still open are real, since the model plainly waits for their results.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from inference.text.reasoning import Channel, Piece, Splitter, TrailingBlank
from inference.text.tools.base import (
    Buffering,
    Event,
    ParsedCall,
    Text,
    ToolFormat,
)
from inference.text.tools.parser import ToolCallParser
from inference.text.tools.schema import ToolSchemas


@dataclass(frozen=True, slots=True)
class ReasoningText:
    """The next piece of reasoning; never empty."""

    text: str


AnswerEvent = ReasoningText | Event


class AnswerParser:
    """Reads one answer. Linear in its length; the cuts make no difference.

    splitter: None for a model that marks no reasoning.
    tool_format: None for a request without tools.
    """

    def __init__(
        self,
        *,
        splitter: Splitter | None,
        tool_format: ToolFormat | None,
        tools: ToolSchemas,
    ) -> None:
        self._splitter = splitter
        self._answer = None if tool_format is None else ToolCallParser(tool_format, tools)
        self._reasoning = _Reasoning(tool_format, tools)

    def feed(self, text: str) -> list[AnswerEvent]:
        """Return what became certain."""
        pieces = self._splitter.feed(text) if self._splitter else [Piece(Channel.ANSWER, text)]
        return _visible(self._read(pieces))

    def finish(self) -> list[AnswerEvent]:
        """Return what is left, now that no more text comes."""
        events: list[AnswerEvent] = []
        if self._splitter:
            events += self._read(self._splitter.finish())
            is_open = self._splitter.is_reasoning
            events += self._reasoning.finish() if is_open else self._reasoning.close()
        if self._answer:
            events += self._answer.finish()
        return _visible(events)

    def _read(self, pieces: Iterable[Piece]) -> list[AnswerEvent]:
        events: list[AnswerEvent] = []
        for piece in pieces:
            if piece.channel is Channel.REASONING:
                events += self._reasoning.feed(piece.text)
                continue
            events += self._reasoning.close()
            events += self._answer.feed(piece.text) if self._answer else [Text(piece.text)]
        return events


class _Reasoning:
    """Passes reasoning on, and holds calls in it back until something follows them."""

    def __init__(self, tool_format: ToolFormat | None, tools: ToolSchemas) -> None:
        self._format = tool_format.only_marked if tool_format else None
        self._tools = tools
        self._begin()

    def _begin(self) -> None:
        self._parser = ToolCallParser(self._format, self._tools) if self._format else None
        self._calls: list[ParsedCall] = []
        self._trailing = TrailingBlank()

    def feed(self, text: str) -> list[AnswerEvent]:
        events = self._parser.feed(text) if self._parser else [Text(text)]
        return self._show(events) or ([Buffering()] if events or self._calls else [])

    def close(self) -> list[AnswerEvent]:
        """End this reasoning: all that is held was a part of it."""
        events = self._show(self._parser.finish() if self._parser else [])
        events += self._release()
        self._begin()
        return events

    def finish(self) -> list[AnswerEvent]:
        """End the answer within reasoning: calls that end it are calls."""
        rest = self._parser.finish() if self._parser else []
        if not rest:
            return list(self._calls)
        # What only the end completed, or what is no call, shows that the model was not done.
        return [*self._show(rest), *self._release()]

    def _show(self, events: Iterable[Event]) -> list[AnswerEvent]:
        shown: list[AnswerEvent] = []
        for event in events:
            match event:
                case ParsedCall():
                    self._calls.append(event)
                case Text(text):
                    shown += self._release()
                    shown += self._reason(text)
                case Buffering():
                    pass
        return shown

    def _release(self) -> list[AnswerEvent]:
        markup = "".join(call.markup for call in self._calls)
        self._calls.clear()
        return self._reason(markup)

    def _reason(self, text: str) -> list[AnswerEvent]:
        shown = self._trailing.add(text)
        return [ReasoningText(shown)] if shown else []


def _visible(events: list[AnswerEvent]) -> list[AnswerEvent]:
    """Return `events` with texts of a kind made one, and `Buffering` only if there is no other."""
    result: list[AnswerEvent] = []
    shown = [event for event in events if not isinstance(event, Buffering)]
    for kind, group in groupby(shown, type):
        texts: list[str] = []
        for event in group:
            if isinstance(event, ParsedCall):
                result.append(event)
            else:
                texts.append(event.text)
        if texts:
            result.append(kind("".join(texts)))
    return result or events[:1]
