from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.text.grammar.regular.numbers import (
    at_least,
    at_most,
    decimals,
    integers,
    multiples_of,
)

NUMBERS = st.from_regex(r"(-?[1-9][0-9]{0,3}|0)(\.[0-9]{0,2}[1-9])?", fullmatch=True)


@given(NUMBERS, NUMBERS, st.booleans())
def test_bounds_compare_as_numbers_do(text, bound, exclusive):
    number, limit = Decimal(text), Decimal(bound)

    above = at_least(limit, exclusive=exclusive).accepts(text)
    below = at_most(limit, exclusive=exclusive).accepts(text)

    assert above == (number > limit if exclusive else number >= limit)
    assert below == (number < limit if exclusive else number <= limit)


@given(NUMBERS, st.sampled_from(["1", "2", "3", "7", "10", "0.5", "0.25", "0.01", "2.5"]))
def test_multiples_divide_without_a_rest(text, step):
    found = multiples_of(Decimal(step))

    assert found.accepts(text) == (Decimal(text) % Decimal(step) == 0)


def test_a_step_with_too_many_rests_has_no_automaton():
    assert multiples_of(Decimal(5_000)) is None


@pytest.mark.parametrize("text", ["0", "-0", "10", "-12345", "9" * 32])
def test_whole_numbers(text):
    assert integers().accepts(text)


@pytest.mark.parametrize("text", ["", "-", "01", "+1", "1.0", "1e5", "9" * 33])
def test_what_is_no_whole_number(text):
    assert not integers().accepts(text)


@pytest.mark.parametrize(("text", "fits"), [("1.50", True), ("1.", False), (".5", False)])
def test_a_point_stands_between_digits(text, fits):
    assert decimals().accepts(text) is fits
