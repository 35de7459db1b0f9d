"""What the text of an answer must satisfy, in no protocol's words.

A request carries at most one constraint. `inference/text/grammar/` writes it as a grammar;
`inference/engine/grammar/` holds a model to that grammar, token by token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AnyJson:
    """A JSON object or list, whatever it holds."""


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """JSON that a schema accepts.

    schema: a JSON Schema; True accepts everything, False nothing.
    any_whitespace: False leaves no blank between the parts.
    """

    schema: Mapping[str, Any] | bool
    any_whitespace: bool = True


@dataclass(frozen=True, slots=True)
class Ebnf:
    """Text that a grammar derives from its rule `root`; `grammar` is in xgrammar's notation."""

    grammar: str


@dataclass(frozen=True, slots=True)
class Regex:
    """Text that a regular expression matches from its first to its last character."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Exactly one of `options`, of which there is at least one."""

    options: tuple[str, ...]


Constraint = AnyJson | JsonSchema | Ebnf | Regex | Choice


@dataclass(frozen=True, slots=True)
class GrammarNotEnforced:
    """Why an answer is not held to its constraint: one sentence fit for the caller.

    A caller hears of it in a `Warning` header; it is never an error.
    """

    reason: str
