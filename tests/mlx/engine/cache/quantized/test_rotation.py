"""The rotation keeps all that attention computes, and refuses what MLX would not survive."""

import mlx.core as mx
import pytest

from inference.engine.cache.quantized.rotation import DIMENSIONS, rotate, rotate_back


def random(*shape):
    return mx.random.normal(shape, key=mx.random.key(sum(shape)))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_it_can_be_undone(dimension):
    vectors = random(2, 3, 5, dimension)

    assert mx.allclose(rotate_back(rotate(vectors)), vectors, atol=1e-5)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_products_stay(dimension):
    ours, theirs = random(4, dimension), random(7, dimension)

    assert mx.allclose(rotate(ours) @ rotate(theirs).T, ours @ theirs.T, atol=1e-3)


def test_a_number_that_stands_out_is_spread_over_all():
    vector = mx.zeros((64,))
    vector[5] = 8.0

    assert mx.allclose(mx.abs(rotate(vector)), mx.ones((64,)))


@pytest.mark.parametrize("function", [rotate, rotate_back])
@pytest.mark.parametrize("dimension", [1, 32, 48, 80, 96, 1024])
def test_other_sizes_never_reach_mlx(function, dimension):
    with pytest.raises(ValueError, match=f"vectors of {dimension} numbers"):
        function(mx.zeros((2, dimension)))
