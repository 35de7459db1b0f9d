import pytest

from inference.text.grammar.regular.char_set import ANY, DIGITS, CharSet


def points(chars):
    return {code for low, high in chars.intervals for code in range(low, high + 1)}


def test_intervals_are_sorted_and_joined():
    assert CharSet.of([(5, 9), (1, 2), (3, 4), (8, 12)]).intervals == ((1, 12),)


@pytest.mark.parametrize(
    ("left", "right"), [("", "ab"), ("abc", "bcd"), ("ace", "bdf"), ("abcxyz", "bcdefxy")]
)
def test_sets_behave_like_sets(left, right):
    a, b = CharSet.chars(left), CharSet.chars(right)

    assert points(a | b) == points(a) | points(b)
    assert points(a & b) == points(a) & points(b)
    assert points(a - b) == points(a) - points(b)


def test_a_complement_covers_the_rest_and_no_more():
    outside = ~DIGITS

    assert not outside & DIGITS
    assert outside | DIGITS == ANY
    assert ~outside == DIGITS


def test_surrogates_are_in_no_set():
    assert CharSet.chars("\ud83d") == CharSet()
    assert CharSet.of([(0xD000, 0xE000)]).intervals == ((0xD000, 0xD7FF), (0xE000, 0xE000))
    assert 0xDC00 not in ~DIGITS
