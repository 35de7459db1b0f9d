"""What a model thinks before it answers, told from the answer by the markers around it.

The newlines beside the markers are the template's: reasoning comes without blank text around
it, an answer without the newlines before it.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from inference.text.tools.source import Literals, Reading, Source

_SPECIAL_TOKEN = re.compile(r"<\|\w+\|>")


@dataclass(frozen=True, slots=True)
class ReasoningFormat:
    """The markers around reasoning.

    header: what may follow the opening marker, as a part of it.
    may_come_late: whether the marker counts within an answer too. Ordinary text may speak of
        `<think>`; a special token is never ordinary text.
    turn, answer: where reasoning is a message of its own, what begins another message, and
        the header of the one that answers. Such models always think, if they are let.
    """

    start: str
    end: str
    header: str = ""
    may_come_late: bool = False
    turn: str = ""
    answer: str = ""

    @property
    def opening(self) -> str:
        """What opens reasoning at the end of a prompt, as templates write it."""
        return self.start if self.answer else self.start + (self.header or "\n")

    @property
    def bridge(self) -> str:
        """What stands between the end of reasoning and the answer."""
        return self.turn + self.answer

    @property
    def tokens(self) -> tuple[str, ...]:
        """The markers as a vocabulary holds them: whole, or the special tokens in them."""
        markers = (self.start, self.end)
        return tuple(_SPECIAL_TOKEN.findall("".join(markers))) or markers

    def is_open_after(self, prompt: str) -> bool:
        """Whether the rendered prompt leaves reasoning open, so that the model begins in it."""
        return prompt.rstrip().endswith((self.start, self.start + self.header.rstrip()))

    def shows(self, special_token: str) -> bool:
        """Whether decoding must spell a special token out for the splitter."""
        return any(special_token in text for text in (self.start, self.end, self.bridge))


HARMONY = ReasoningFormat(
    start="<|channel|>analysis<|message|>",
    end="<|end|>",
    turn="<|start|>assistant",
    answer="<|channel|>final<|message|>",
)
_FORMATS = (
    HARMONY,
    ReasoningFormat("<|channel>", "<channel|>", header="thought\n", may_come_late=True),
    ReasoningFormat("<think>", "</think>"),
    ReasoningFormat("<longcat_think>", "</longcat_think>"),
    ReasoningFormat("<|think:start|>", "<|think:end|>"),
    ReasoningFormat("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
)


def choose_reasoning(
    chat_template: str, vocabulary: Container[str] = frozenset()
) -> ReasoningFormat | None:
    """Return how a model marks reasoning, told by its template or its vocabulary."""
    for reasoning in _FORMATS:
        in_template = all(m in chat_template for m in (reasoning.start, reasoning.end))
        if in_template or all(token in vocabulary for token in reasoning.tokens):
            return reasoning
    return None


class Channel(Enum):
    REASONING = auto()
    ANSWER = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """The next piece of text, never empty, and where it belongs."""

    channel: Channel
    text: str


class Splitter(Protocol):
    """Splits one answer into reasoning and the rest. The cuts make no difference.

    is_reasoning: whether what comes next is reasoning.
    """

    @property
    def is_reasoning(self) -> bool: ...

    def feed(self, text: str) -> list[Piece]:
        """Return what became certain."""

    def finish(self) -> list[Piece]:
        """Return what was held back. `is_reasoning` tells whether reasoning never ended."""


class TrailingBlank:
    """Passes text on, blank text at its end only once something follows."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def add(self, text: str) -> str:
        shown = text.rstrip()
        blank = text[len(shown) :]
        if not shown:
            self._held.append(blank)
            return ""
        result = "".join(self._held) + shown
        self._held = [blank]
        return result

    def drop(self) -> None:
        self._held = []


class ReasoningSplitter:
    """The `Splitter` of formats with a marker before and one behind reasoning.

    Reasoning begins at the start of an answer, or right behind other reasoning.
    """

    def __init__(self, reasoning: ReasoningFormat, *, is_open: bool) -> None:
        """is_open: whether the prompt left reasoning open."""
        self.is_reasoning = is_open
        self._format = reasoning
        self._start = Literals(reasoning.start)
        self._end = Literals(reasoning.end)
        self._header = Literals(reasoning.header) if reasoning.header else None
        self._markers = Literals(reasoning.start, reasoning.end)
        self._source = Source()
        self._pieces: list[Piece] = []
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
        self._source.mark()
        pieces, self._pieces = self._pieces, []
        return pieces

    def _read(self) -> Iterator[None]:
        is_behind_reasoning = self.is_reasoning
        if self.is_reasoning:
            yield from self._read_reasoning()
        while not self._source.exhausted:
            blank = yield from self._source.space()
            marker = yield from self._skip(self._markers)
            if marker:
                # A closing marker without an opening one closes what nobody saw.
                is_behind_reasoning = True
                if marker == self._format.start:
                    yield from self._read_reasoning()
                continue
            if is_behind_reasoning:
                blank = blank[blank.rfind("\n") + 1 :]
            self._emit(Channel.ANSWER, blank)
            yield from self._read_answer()

    def _read_reasoning(self) -> Reading[None]:
        """Read behind an opening marker, up to and with the closing one."""
        self.is_reasoning = True
        yield from self._skip_header()
        if (yield from self._skip(self._start)):  # in the prompt, and here once more
            yield from self._skip_header()
        trailing = TrailingBlank()
        while not self._source.exhausted:
            text = self._source.take_certain(self._end)
            self._emit(Channel.REASONING, trailing.add(text))
            if self._source.here(self._end):
                yield from self._source.skip(self._end)
                self.is_reasoning = False
                return
            if not self._source.ended:
                yield

    def _skip_header(self) -> Reading[None]:
        if self._header:
            yield from self._skip(self._header)
        yield from self._source.space()

    def _skip(self, literals: Literals) -> Reading[str]:
        """Take a literal that is whole, if one comes next; return it."""
        yield from self._source.at(literals)
        found = self._source.here(literals)
        return (yield from self._source.take(len(found)))

    def _read_answer(self) -> Reading[None]:
        """Read on to the end, or to a marker where one may come late."""
        while not self._source.exhausted:
            if self._format.may_come_late:
                self._emit(Channel.ANSWER, self._source.take_certain(self._start))
                if self._source.here(self._start):
                    return
            else:
                self._emit(Channel.ANSWER, self._source.take_all())
            if not self._source.ended:
                yield

    def _emit(self, channel: Channel, text: str) -> None:
        if text:
            self._pieces.append(Piece(channel, text))
