"""The parser that runs a format over an answer while it arrives.

It passes text through until markup begins, and gives back as text what turns out not to be a
call. Nothing is lost: the texts and the markup of the calls join to what was fed, save blank
space after the last call.
"""

from collections.abc import Generator, Iterable
from dataclasses import replace

from inference.text.tools.base import Buffering, Event, ParsedCall, Rejected, Text, ToolFormat
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Source


class ToolCallParser:
    """Finds the calls in one answer. Linear in its length; the cuts make no difference."""

    def __init__(self, tool_format: ToolFormat, tools: ToolSchemas) -> None:
        self._tools = tools
        self._source = Source()
        self._openings = {o.start: o for o in (*tool_format.openings, *tool_format.unwrapped)}
        self._unwrapped = frozenset(o.start for o in tool_format.unwrapped)
        self._format = tool_format
        self._starts = tool_format.starts
        self._events: list[Event] = []
        self._blank: list[str] = []
        self._is_beside_call = True  # or at the very start
        self._num_calls = 0
        self._is_in_markup = False
        self._steps = self._read()

    def feed(self, text: str) -> list[Event]:
        """Return what became certain."""
        self._source.add(text)
        return self._advance()

    def finish(self) -> list[Event]:
        """Return what is left, now that no more text comes.

        Markup that the end cut off is a call if it can be completed, else text.
        """
        self._source.end()
        return self._advance()

    def _advance(self) -> list[Event]:
        next(self._steps, None)
        events, self._events = joined(self._events), []
        return events or ([Buffering()] if self._is_in_markup else [])

    def _read(self) -> Generator[None, None, None]:
        while True:
            self._source.mark()
            self._show(self._source.take_certain(self._starts))
            if start := self._source.here(self._starts):
                yield from self._read_markup(start)
            elif self._source.ended:
                break
            else:
                yield
        if not self._num_calls:
            self._release_blank()

    def _read_markup(self, start: str) -> Generator[None, None, None]:
        self._source.mark()
        self._is_in_markup = True
        num_calls = self._num_calls
        for step in self._openings[start].read(self._source, self._tools):
            match step:
                case None:
                    yield
                case ParsedCall():
                    self._add_call(step)
                case Rejected():
                    self._show(self._source.since_mark())
                    self._source.mark()
        self._is_in_markup = False
        self._show(self._source.since_mark())
        if start in self._unwrapped and num_calls == self._num_calls:
            self._starts = self._format.marked_starts

    def _add_call(self, call: ParsedCall) -> None:
        markup = "".join(self._blank) + self._source.since_mark()
        self._events.append(replace(call, markup=markup))
        self._blank.clear()
        self._source.mark()
        self._is_beside_call = True
        self._num_calls += 1
        self._starts = self._format.starts

    def _show(self, text: str) -> None:
        """Pass text on, blank text only once it is known not to stand before or after a call."""
        if not text or (self._is_beside_call and text.isspace()):
            self._blank.append(text)
            return
        self._is_beside_call = False
        self._release_blank()
        self._emit(text)

    def _release_blank(self) -> None:
        self._emit("".join(self._blank))
        self._blank.clear()

    def _emit(self, text: str) -> None:
        if text:
            self._events.append(Text(text))


def joined(events: Iterable[Event]) -> list[Event]:
    """Return `events` with texts beside each other made one."""
    result: list[Event] = []
    texts: list[str] = []
    for event in events:
        if isinstance(event, Text):
            texts.append(event.text)
            continue
        if texts:
            result.append(Text("".join(texts)))
            texts = []
        result.append(event)
    return [*result, Text("".join(texts))] if texts else result
