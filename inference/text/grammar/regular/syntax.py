"""Regular expressions as trees: what the parser builds and the automata are made of."""

from dataclasses import dataclass

from inference.text.grammar.regular.char_set import CharSet


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    set: CharSet


@dataclass(frozen=True, slots=True)
class Concat:
    """Its parts one after the other; without parts, the empty text."""

    parts: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """Any one of its options."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """`least` to `most` times its body; None means without end."""

    body: "Node"
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """Any characters to the end of the text; nothing may follow it."""


Node = Chars | Concat | Either | Repeat | Rest


def literal(text: str) -> Concat:
    """Return the tree that matches `text` alone."""
    return Concat(tuple(Chars(CharSet.chars(char)) for char in text))


@dataclass(frozen=True, slots=True)
class Branch:
    """One top-level alternative of a pattern, and whether it is tied to the text's ends."""

    body: Node
    at_start: bool
    at_end: bool
