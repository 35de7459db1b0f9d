"""What the schema battery knows of each schema."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

# Why a valid value has no text under the grammar, each a limit that the writer documents.
ORDER = "members come in the order of the schema"
CLOSED = "an object that lists members has no others, unless the schema lets them in"
MEANT = "keywords of one type mean that type"
NUMBERS = "within bounds a number has no exponent, and a whole number no point"
SPELLING = "names and values of the schema are spelled in one way"
DIGITS = "beside a step or an exclusive bound a number has at most 16 characters"
ONE_BRANCH = "unevaluated members are those that one branch does not list"


class Promise(Enum):
    """What becomes of a schema."""

    ENFORCED = auto()  # all of it holds
    IN_PART = auto()  # all but what is announced
    NOT_AT_ALL = auto()  # no grammar, and the caller is told


@dataclass(frozen=True)
class Case:
    """One schema and what its answers may be.

    told: what the caller hears is not enforced.
    valid: values that the schema accepts, and that can be said compactly and indented.
    invalid: values that it refuses; under a promise in part, still for what is enforced.
    missed: values that it refuses, and that only what is announced would have stopped.
    spellings, broken: further texts, to be accepted and to be stopped.
    unsaid: by reason, values that the schema accepts and the grammar does not.
    """

    name: str
    schema: Any
    promise: Promise
    told: str = ""
    valid: tuple[Any, ...] = ()
    invalid: tuple[Any, ...] = ()
    missed: tuple[Any, ...] = ()
    spellings: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    unsaid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


def enforced(
    name: str,
    schema: Any,
    valid: Iterable[Any],
    invalid: Iterable[Any] = (),
    *,
    spellings: Iterable[str] = (),
    broken: Iterable[str] = (),
    unsaid: Mapping[str, Iterable[Any]] | None = None,
) -> Case:
    """Return a case all of which holds."""
    return Case(
        name,
        schema,
        Promise.ENFORCED,
        valid=tuple(valid),
        invalid=tuple(invalid),
        spellings=tuple(spellings),
        broken=tuple(broken),
        unsaid={reason: tuple(values) for reason, values in (unsaid or {}).items()},
    )


def in_part(
    told: str,
    name: str,
    schema: Any,
    valid: Iterable[Any],
    invalid: Iterable[Any] = (),
    *,
    missed: Iterable[Any] = (),
) -> Case:
    """Return a case of which a keyword is announced, and the rest holds."""
    return Case(
        name,
        schema,
        Promise.IN_PART,
        told,
        valid=tuple(valid),
        invalid=tuple(invalid),
        missed=tuple(missed),
    )


def not_at_all(told: str, name: str, schema: Any) -> Case:
    """Return a case that has no grammar."""
    return Case(name, schema, Promise.NOT_AT_ALL, told)
