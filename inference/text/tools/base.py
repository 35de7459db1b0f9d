"""What all tool-call formats share: how one is described, and the parser that runs it.

A format says where markup begins and how to read it; `ToolCallParser` passes text through
until then, and gives back as text what turns out not to be a call. Nothing is lost: the
texts and the markup of the calls join to what was fed, save blank space after the last call.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from inference.text.tools.json_values import encode
from inference.text.tools.schema import ToolSchemas
from inference.text.tools.source import Literals, Source


@dataclass(frozen=True, slots=True)
class Text:
    """The next piece of plain text; never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Buffering:
    """Text arrived, and there is nothing to show yet: it may be part of a call."""


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A complete call of a known tool.

    arguments: by name, as JSON values.
    markup: the text it was read from; empty for all but the first call of one JSON list.
    """

    name: str
    arguments: Mapping[str, Any]
    markup: str = ""

    @property
    def arguments_json(self) -> str:
        """The arguments as a JSON object, valid UTF-8 once encoded."""
        return encode(self.arguments)


Event = Text | Buffering | ParsedCall


@dataclass(frozen=True, slots=True)
class Rejected:
    """What a reader took since its last call is no call, and there may be others behind it."""


# A reader of markup yields None to wait for text, each call as it is complete, and `Rejected`.
Steps = Generator[ParsedCall | Rejected | None, None, None]


@dataclass(frozen=True, slots=True)
class Opening:
    """A text that may begin a call, and the reader of what it begins.

    read: starts before `start`, and must take at least that. Whatever it took without
        yielding a call is plain text.
    """

    start: str
    read: Callable[[Source, ToolSchemas], Steps]


@dataclass(frozen=True)
class ToolFormat:
    """How a family of models writes calls.

    unwrapped: openings that are ordinary text in most answers, such as a brace. They are
        tried once, and again after each call.
    markers: further texts of the markup. Tokenizers may hold any marker, or a part of one,
        as a special token, which decoding leaves out unless told otherwise.
    """

    name: str
    openings: tuple[Opening, ...]
    unwrapped: tuple[Opening, ...] = ()
    markers: tuple[str, ...] = ()

    @cached_property
    def starts(self) -> Literals:
        return Literals(*(opening.start for opening in (*self.openings, *self.unwrapped)))

    @cached_property
    def marked_starts(self) -> Literals:
        return Literals(*(opening.start for opening in self.openings))

    @cached_property
    def only_marked(self) -> "ToolFormat":
        """The format without its unwrapped form."""
        return replace(self, unwrapped=())

    def shows(self, special_token: str) -> bool:
        """Whether decoding must spell a special token out for this format's parser."""
        starts = (opening.start for opening in self.openings)
        return any(special_token in text for text in (*starts, *self.markers))


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
