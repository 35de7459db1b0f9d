"""The table of levels is the one that Lloyd's and Max's conditions define."""

from itertools import pairwise
from statistics import NormalDist

import pytest

from inference.engine.cache.quantized.codebook import borders, lloyd_max_levels

BITS = (2, 3, 4, 5, 8)
# Max (1960), table I: the mean squared error of 4, 8, 16 and 32 levels.
ERRORS = {2: 0.1175, 3: 0.03454, 4: 0.009497, 5: 0.002499}
UNIT = NormalDist()


def squared_error(levels):
    """Sum the mean squared error over fine slices of the Gaussian."""
    slices, width = 20_000, 12 / 20_000
    error, at = 0.0, 0
    for index in range(slices):
        x = -6 + (index + 0.5) * width
        while at + 1 < len(levels) and abs(levels[at + 1] - x) < abs(levels[at] - x):
            at += 1
        error += (levels[at] - x) ** 2 * UNIT.pdf(x) * width
    return error


@pytest.mark.parametrize("bits", BITS)
def test_levels_ascend_and_are_symmetric(bits):
    levels = lloyd_max_levels(bits)

    assert len(levels) == 2**bits
    assert all(low < high for low, high in pairwise(levels))
    assert levels == tuple(-level for level in reversed(levels))


@pytest.mark.parametrize("bits", BITS)
def test_a_level_is_the_mean_of_the_numbers_that_are_nearest_to_it(bits):
    levels = lloyd_max_levels(bits)
    ends = [-9.0, *borders(levels), 9.0]

    for level, (low, high) in zip(levels, pairwise(ends), strict=True):
        mass = UNIT.cdf(high) - UNIT.cdf(low) if high < 0 else UNIT.cdf(-low) - UNIT.cdf(-high)
        assert level == pytest.approx((UNIT.pdf(low) - UNIT.pdf(high)) / mass, abs=1e-3)


@pytest.mark.parametrize(("bits", "error"), ERRORS.items())
def test_the_error_is_the_published_one(bits, error):
    assert squared_error(lloyd_max_levels(bits)) == pytest.approx(error, rel=3e-3)


def test_a_border_is_halfway_between_two_levels():
    assert borders((-1.0, 0.0, 4.0)) == (-0.5, 2.0)
