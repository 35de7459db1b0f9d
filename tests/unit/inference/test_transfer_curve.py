"""Curves drawn through points: monotone, exact at the points, straight beyond them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.transfer_curve import NotMonotone, TransferCurve

IDENTITY = [(1e-4, 1e-4), (0.1, 0.1), (1, 1), (9, 9), (100, 100)]


def test_points_on_the_diagonal_change_nothing():
    curve = TransferCurve.through(IDENTITY)

    assert curve.slopes == pytest.approx((1,) * 5)
    assert curve.x == pytest.approx(curve.y)


def test_points_are_taken_in_any_order():
    assert TransferCurve.through(reversed(IDENTITY)) == TransferCurve.through(IDENTITY)


def test_inner_slopes_are_weighted_harmonic_means():
    # In logarithms: widths 1 and 2, rises 2 and 1.
    points = [(100 * math.exp(u), 100 * math.exp(v)) for u, v in [(-3, -3), (-2, -1), (0, 0)]]

    curve = TransferCurve.through(points)

    one, other = 2 * 2 + 1, 2 + 2 * 1
    expected = (one + other) / (one / 2 + other / 0.5)
    assert curve.slopes == pytest.approx((2, expected, 0.5))


def test_a_flat_segment_makes_its_ends_flat():
    curve = TransferCurve.through([(1, 1), (2, 5), (4, 5), (100, 100)])

    assert curve.slopes[1:3] == (0, 0)


def test_the_tail_is_never_flattened():
    curve = TransferCurve.through([(1, 50), (100, 100)])

    assert curve.slopes[0] < 1
    assert curve.left_slope == 1


@pytest.mark.parametrize("points", [[(1, 9), (9, 1)], [(1, 1), (5, 20), (9, 10)]])
def test_a_falling_curve_is_refused(points):
    with pytest.raises(NotMonotone, match="curve is not monotone — all segment slopes must be ≥ 0"):
        TransferCurve.through(points)


@pytest.mark.parametrize("points", [[], [(1, 1)], [(1, 1), (1, 2)], [(0, 1), (1e-12, 2)]])
def test_points_that_draw_no_curve_are_refused(points):
    with pytest.raises(ValueError, match="two points or more"):
        TransferCurve.through(points)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=2, max_size=9))
def test_any_points_make_a_rising_curve_or_a_clear_refusal(points):
    try:
        curve = TransferCurve.through(points)
    except ValueError:
        return
    assert all(slope >= -1e-9 for slope in curve.slopes)
    assert all(math.isfinite(value) for value in (*curve.x, *curve.y))
