"""Noise that a row's seed and step alone decide."""

import math

import numpy as np
import pytest

from inference.engine.sampling.noise import gumbel_rows, uniform_rows


def test_the_steps_of_one_seed_are_not_those_of_the_next():
    noise = gumbel_rows([1, 1, 2, 2], [1, 2, 0, 1], 100)

    assert len({tuple(row) for row in noise.tolist()}) == 4


def test_a_row_has_the_same_noise_wherever_it_stands():
    alone = gumbel_rows([7], [3], 50).tolist()

    assert gumbel_rows([1, 7, 2], [9, 3, 3], 50).tolist()[1] == alone[0]


def test_gumbel_noise_has_its_mean_and_variance():
    noise = np.array(gumbel_rows(range(50), [3] * 50, 2000), dtype=np.float64)

    assert np.isfinite(noise).all()
    assert noise.mean() == pytest.approx(0.5772, abs=0.02)
    assert noise.var() == pytest.approx(math.pi**2 / 6, abs=0.05)


def test_uniform_numbers_fill_the_unit_interval():
    numbers = np.array(uniform_rows(range(4000), range(4000)))[:, 0]

    assert numbers.min() >= 0 and numbers.max() < 1
    counts = np.histogram(numbers, bins=10, range=(0, 1))[0]
    assert ((counts - 400) ** 2 / 400).sum() < 9 + 5 * math.sqrt(18)
