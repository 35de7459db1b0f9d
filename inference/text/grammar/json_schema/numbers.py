"""The numbers that a flat schema allows, as an automaton over their digits."""

from decimal import Decimal, InvalidOperation
from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document
from inference.text.grammar.json_schema.merge import Flat
from inference.text.grammar.regular.automaton import Automaton, of_length
from inference.text.grammar.regular.numbers import (
    at_least,
    at_most,
    decimals,
    integers,
    multiples_of,
)

# Bounds with more digits are dropped: no model means such a number.
_MAX_DIGITS = 40
# Characters of a number that a reader's floating point holds exactly, and can divide.
_MAX_EXACT = 16


def number_automaton(document: Document, flat: Flat, *, whole: bool) -> Automaton | None:
    """Return the automaton of the numbers of a flat schema; None for all of them.

    whole: whole numbers only. Within bounds a number is written without an exponent.
    """
    limits = []
    for keyword, exclusive in (("minimum", False), ("exclusiveMinimum", True)):
        if (bound := _bound(document, flat, keyword)) is not None:
            limits.append(at_least(bound, exclusive=exclusive))
    for keyword, exclusive in (("maximum", False), ("exclusiveMaximum", True)):
        if (bound := _bound(document, flat, keyword)) is not None:
            limits.append(at_most(bound, exclusive=exclusive))
    if not limits and "multipleOf" not in flat:
        return None
    found = integers() if whole else decimals()
    for limit in limits:
        found = found & limit
    return _stepped(document, flat, found)


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
