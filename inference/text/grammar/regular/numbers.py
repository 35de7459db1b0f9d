"""Automata of numbers in decimal notation: within bounds, and multiples of a step."""

from decimal import Decimal

from inference.text.grammar.regular.automaton import MAX_STATES, Automaton, State, trimmed
from inference.text.grammar.regular.char_set import DIGITS, CharSet
from inference.text.grammar.regular.determinize import automaton_of
from inference.text.grammar.regular.syntax import Chars, Concat, Either, Node, Repeat, literal

# No number worth writing is longer; a model that repeats a digit would not stop by itself.
MAX_DIGITS = 32

_DIGIT = Chars(DIGITS)
_DIGITS = Repeat(_DIGIT)
_NONZERO = Chars(DIGITS - CharSet.chars("0"))
_EMPTY = Concat()


def integers() -> Automaton:
    """Return the automaton of whole numbers without an exponent."""
    return automaton_of(Concat((Repeat(literal("-"), 0, 1), _whole(1))))


def decimals() -> Automaton:
    """Return the automaton of numbers with or without a fraction, without an exponent."""
    fraction = Concat((literal("."), Repeat(_DIGIT, 1, MAX_DIGITS)))
    return automaton_of(Concat((Repeat(literal("-"), 0, 1), _whole(1), Repeat(fraction, 0, 1))))


def at_least(bound: Decimal, *, exclusive: bool = False) -> Automaton:
    """Return the automaton of numbers of at least `bound`, or above it."""
    if bound >= 0:
        return automaton_of(_magnitude_from(bound, exclusive))
    return automaton_of(Either((_ANY_MAGNITUDE, _negative(_magnitude_to(-bound, exclusive)))))


def at_most(bound: Decimal, *, exclusive: bool = False) -> Automaton:
    """Return the automaton of numbers of at most `bound`, or below it."""
    if bound < 0 or (bound == 0 and exclusive):
        return automaton_of(_negative(_magnitude_from(-bound, exclusive)))
    return automaton_of(Either((_magnitude_to(bound, exclusive), _negative(_ANY_MAGNITUDE))))


def multiples_of(step: Decimal) -> Automaton | None:
    """Return the automaton of multiples of a positive step; None if it would be too large.

    It accepts other spellings besides, such as `07`; `decimals` and `integers` refuse them.
    """
    places = max(-_exponent(step), 0)
    modulus = int(step.scaleb(places))
    if modulus * (places + 2) > MAX_STATES:
        return None
    # Phase 0 reads whole digits, phase 1 + j has read j places behind the point.
    phases = [State(((CharSet.chars("-"), 1), *_step(1, modulus, 0)))]
    for remainder in range(modulus):
        whole = _step(1, modulus, remainder)
        point = (CharSet.chars("."), 1 + modulus + remainder)
        phases.append(State((*whole, point), remainder * 10**places % modulus == 0))
    for place in range(places + 1):
        first = 1 + modulus * (1 + place)
        for remainder in range(modulus):
            accepts = remainder * 10 ** (places - place) % modulus == 0
            if place < places:
                onward = _step(first + modulus, modulus, remainder)
            else:
                onward = ((CharSet.chars("0"), first + remainder),)
            phases.append(State(tuple(onward), accepts))
    return trimmed(phases)


def _step(first: int, modulus: int, remainder: int) -> tuple[tuple[CharSet, int], ...]:
    """Return where each digit leads, among states numbered by remainder from `first`."""
    digits: dict[int, str] = {}
    for digit in range(10):
        target = first + (remainder * 10 + digit) % modulus
        digits[target] = digits.get(target, "") + str(digit)
    return tuple((CharSet.chars(chars), target) for target, chars in digits.items())


def _exponent(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


def _whole(least_digits: int) -> Node:
    """Whole numbers without a sign, of at least so many digits."""
    long = Concat((_NONZERO, Repeat(_DIGIT, max(least_digits - 1, 0), MAX_DIGITS - 1)))
    return Either((literal("0"), long)) if least_digits <= 1 else long


_FRACTION = Concat((literal("."), _DIGIT, _DIGITS))
_MAYBE_FRACTION = Repeat(_FRACTION, 0, 1)
_ANY_MAGNITUDE = Concat((_whole(1), _MAYBE_FRACTION))


def _negative(magnitude: Node) -> Node:
    return Concat((literal("-"), magnitude))


def _magnitude_from(bound: Decimal, exclusive: bool) -> Node:
    whole, fraction = _split(bound)
    return Either(
        (
            Concat((_whole_above(whole), _MAYBE_FRACTION)),
            Concat((literal(whole), _fraction_from(fraction, exclusive))),
        )
    )


def _magnitude_to(bound: Decimal, exclusive: bool) -> Node:
    whole, fraction = _split(bound)
    options: list[Node] = [Concat((_whole_below(whole), _MAYBE_FRACTION))] if whole != "0" else []
    if fraction:
        options.append(Concat((literal(whole), _fraction_to(fraction, exclusive))))
    elif not exclusive:
        zeros = Repeat(Concat((literal("."), Repeat(literal("0"), 1))), 0, 1)
        options.append(Concat((literal(whole), zeros)))
    return Either(tuple(options))


def _split(bound: Decimal) -> tuple[str, str]:
    """Return the digits before the point and those behind it, without closing zeros."""
    whole, _, fraction = f"{bound.copy_abs():f}".partition(".")
    return whole, fraction.rstrip("0")


def _whole_above(whole: str) -> Node:
    return Either((_digits_above(whole), _whole(len(whole) + 1)))


def _whole_below(whole: str) -> Node:
    shorter = [literal("0")] if len(whole) > 1 else []
    if len(whole) > 2:
        shorter.append(Concat((_NONZERO, Repeat(_DIGIT, 0, len(whole) - 2))))
    elif len(whole) == 2:
        shorter.append(Concat((_NONZERO,)))
    return Either((*shorter, _digits_below(whole, leading=True)))


def _digits_above(digits: str) -> Node:
    """As many digits, with a larger value."""
    options = [
        Concat(
            (literal(digits[:i]), _digit_among(int(digit) + 1, 9), _exactly(len(digits) - i - 1))
        )
        for i, digit in enumerate(digits)
        if digit != "9"
    ]
    return Either(tuple(options))


def _digits_below(digits: str, *, leading: bool) -> Node:
    """As many digits, with a smaller value; `leading` forbids a zero in front of others."""
    options = []
    for i, digit in enumerate(digits):
        lowest = 1 if leading and i == 0 and len(digits) > 1 else 0
        if int(digit) > lowest:
            smaller = _digit_among(lowest, int(digit) - 1)
            options.append(Concat((literal(digits[:i]), smaller, _exactly(len(digits) - i - 1))))
    return Either(tuple(options))


def _fraction_from(digits: str, exclusive: bool) -> Node:
    some_more = Concat((_DIGITS, _NONZERO, _DIGITS))
    if not digits:
        return Concat((literal("."), some_more)) if exclusive else _MAYBE_FRACTION
    options: list[Node] = [
        Concat((literal(digits[:i]), _digit_among(int(digit) + 1, 9), _DIGITS))
        for i, digit in enumerate(digits)
        if digit != "9"
    ]
    options.append(Concat((literal(digits), some_more if exclusive else _DIGITS)))
    return Concat((literal("."), Either(tuple(options))))


def _fraction_to(digits: str, exclusive: bool) -> Node:
    options: list[Node] = []
    for i, digit in enumerate(digits):
        if i:
            options.append(literal(digits[:i]))
        if digit != "0":
            options.append(Concat((literal(digits[:i]), _digit_among(0, int(digit) - 1), _DIGITS)))
    if not exclusive:
        options.append(Concat((literal(digits), Repeat(literal("0")))))
    return Either((_EMPTY, Concat((literal("."), Either(tuple(options))))))


def _digit_among(low: int, high: int) -> Node:
    return Chars(CharSet.of([(ord("0") + low, ord("0") + high)]))


def _exactly(count: int) -> Node:
    return Repeat(_DIGIT, count, count)
