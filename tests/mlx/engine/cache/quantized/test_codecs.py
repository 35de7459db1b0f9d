"""More bits lose less, for vectors of every kind."""

import mlx.core as mx
import pytest

from inference.engine.cache.quantized.codecs import Affine, Rotated

DIMENSION = 128


def spread(seed=1):
    return mx.random.normal((1, 2, 40, DIMENSION), key=mx.random.key(seed))


def with_outliers():
    """As keys and values are: a few channels are many times as large."""
    vectors = spread()
    vectors[..., 3] *= 30
    vectors[..., 70] *= 10
    return vectors


def error(codec, vectors):
    lost = codec.decode(codec.encode(vectors)) - vectors
    return (mx.linalg.norm(lost) / mx.linalg.norm(vectors)).item()


@pytest.mark.parametrize("vectors", [spread, with_outliers])
@pytest.mark.parametrize(
    ("make", "widths"),
    [(lambda bits: Affine(bits, 64), (2, 4, 5, 8)), (Rotated, (2, 3, 4, 5, 8))],
    ids=["affine", "rotated"],
)
def test_the_error_falls_with_every_bit(make, widths, vectors):
    errors = [error(make(bits), vectors()) for bits in widths]

    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.02


# The square roots of Max's errors for a Gaussian, with some room for the scale's own.
@pytest.mark.parametrize(("bits", "expected"), [(2, 0.343), (3, 0.186), (4, 0.0975), (5, 0.05)])
@pytest.mark.parametrize("vectors", [spread, with_outliers])
def test_rotated_vectors_lose_what_a_gaussian_loses_whatever_they_are(bits, expected, vectors):
    assert error(Rotated(bits), vectors()) == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("codec", [Affine(4, 64), Rotated(3)])
def test_vectors_of_zeros_stay_zeros(codec):
    zeros = mx.zeros((1, 1, 2, 64))

    assert mx.array_equal(codec.decode(codec.encode(zeros)), zeros)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_numbers_come_back_in_their_own_type(dtype):
    vectors = spread().astype(dtype)

    assert Affine(8, 64).decode(Affine(8, 64).encode(vectors)).dtype == dtype
    assert Rotated(8).decode(Rotated(8).encode(vectors)).dtype == dtype
