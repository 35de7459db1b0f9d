"""The numbers that a flat schema allows, as an automaton over their digits."""

import operator
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document
from inference.text.grammar.json_schema.merge import Flat, type_of
from inference.text.grammar.regular.automaton import Automaton, of_length
from inference.text.grammar.regular.numbers import (
    at_least,
    at_most,
    decimals,
    integers,
    multiples_of,
)

_LIMITS: dict[str, Callable[[Decimal], Automaton]] = {
    "minimum": at_least,
    "exclusiveMinimum": partial(at_least, exclusive=True),
    "maximum": at_most,
    "exclusiveMaximum": partial(at_most, exclusive=True),
}
_WITHIN: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "minimum": operator.ge,
    "exclusiveMinimum": operator.gt,
    "maximum": operator.le,
    "exclusiveMaximum": operator.lt,
}
_EXCLUSIVE = {"exclusiveMinimum", "exclusiveMaximum"}
_NUMBERS = {"integer", "number"}
# Bounds with more digits are dropped: no model means such a number.
_MAX_DIGITS = 40
# Characters of a number that a reader's floating point holds exactly, and can divide.
_MAX_EXACT = 16


def number_automaton(document: Document, flat: Flat, *, whole: bool) -> Automaton | None:
    """Return the automaton of the numbers of a flat schema; None for all of them.

    whole: whole numbers only. Within bounds a number is written without an exponent.
    """
    limits = {}
    for keyword, limit in _LIMITS.items():
        if (bound := _bound(document, flat, keyword)) is not None:
            limits[keyword] = limit(bound)
    excluded = [value for value in flat.get("excluded", ()) if type_of(value) in _NUMBERS]
    if not (limits or excluded or "multipleOf" in flat):
        return None
    found = integers() if whole else decimals()
    for one in limits.values():
        found = found & one
    for value in excluded:
        found = found - (at_least(_decimal(value)) & at_most(_decimal(value)))
    if not whole and (excluded or any(keyword in _EXCLUSIVE for keyword in limits)):
        found = _told_apart(document, found, limits)
    return _stepped(document, flat, found)


def admits_number(flat: Flat, value: float) -> bool:
    """Tell whether a number passes what a flat schema says of numbers."""
    number = _decimal(value)
    step = flat.get("multipleOf")
    return all(
        is_within(number, _decimal(flat[keyword]))
        for keyword, is_within in _WITHIN.items()
        if keyword in flat
    ) and (step is None or Fraction(number) % Fraction(_decimal(step)) == 0)


def _told_apart(document: Document, found: Automaton, limits: Iterable[str]) -> Automaton:
    """Leave out numbers of more digits than a reader's floating point tells apart.

    0.99999999999999999 is below 1 as it stands there, and 1 once it has been read.
    """
    exact = found & of_length(1, _MAX_EXACT)
    if exact or not found:
        return exact
    for keyword in sorted(_EXCLUSIVE & set(limits)):
        document.leave(keyword)
    return found


def _stepped(document: Document, flat: Flat, found: Automaton) -> Automaton:
    if "multipleOf" not in flat:
        return found
    step = multiples_of(_decimal(flat["multipleOf"]))
    try:
        if step is not None:
            return found & step & of_length(1, _MAX_EXACT)
    except NotExpressible:
        pass  # the two together are too large, and the bounds say more
    document.leave("multipleOf")
    return found


def _bound(document: Document, flat: Flat, keyword: str) -> Decimal | None:
    if keyword not in flat:
        return None
    bound = _decimal(flat[keyword])
    _, digits, exponent = bound.as_tuple()
    if isinstance(exponent, int) and len(digits) + abs(exponent) <= _MAX_DIGITS:
        return bound
    document.leave(keyword)
    return None


def _decimal(value: Any) -> Decimal:
    try:
        return Decimal(str(value)).normalize()
    except InvalidOperation as error:
        raise NotExpressible(f"{value!r} in the schema is no number") from error
