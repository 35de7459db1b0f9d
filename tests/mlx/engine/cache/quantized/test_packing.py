"""Packed codes come back bit by bit."""

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.engine.cache.quantized.packing import pack, unpack

BITS = st.sampled_from((2, 3, 4, 5, 8))


@st.composite
def coded(draw):
    """Bits, and vectors of codes in as many dimensions as a cache has."""
    bits, width = draw(BITS), draw(st.sampled_from((64, 128, 256)))
    rows = draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    codes = np.random.default_rng(seed).integers(0, 2**bits, (1, 2, rows, width), dtype=np.uint8)
    return bits, codes


@given(coded())
def test_what_was_packed_comes_back(case):
    bits, codes = case

    words = pack(mx.array(codes), bits)

    assert words.shape[-1] * 32 == codes.shape[-1] * bits
    assert np.array_equal(np.array(unpack(words, bits)), codes)


@given(coded())
def test_codes_lie_without_gaps_the_lowest_bit_first(case):
    bits, codes = case
    row = codes[0, 0, 0]
    stream = sum(int(code) << index * bits for index, code in enumerate(row))

    words = np.array(pack(mx.array(row), bits), dtype="<u4")

    assert int.from_bytes(words.tobytes(), "little") == stream


@pytest.mark.parametrize("bits", [3, 5])
def test_all_ones_fill_every_word(bits):
    words = pack(mx.full((64,), 2**bits - 1, dtype=mx.uint8), bits)

    assert np.array(words).tolist() == [2**32 - 1] * (64 * bits // 32)
