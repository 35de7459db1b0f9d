"""What all tool-call formats share: how one is described, and what it yields."""

from collections.abc import Callable, Generator, Mapping
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
