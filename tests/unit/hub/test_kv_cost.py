"""What a sequence takes, and how long one may be, undo each other."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.kv_cost import KvCost, kv_cost
from hub.shape import AttentionLayer, LinearLayer, ModelShape

SHAPE = ModelShape(
    attention=(AttentionLayer(100), AttentionLayer(50, sliding=True), AttentionLayer(10)),
    linear=(LinearLayer(2, 4, 1, 8, 3),),
    window=16,
)
# 2 x 4 x 8 x 4 = 256 of state, and 2 x (2 x 1 x 8 + 2 x 4) x 2 = 96 of convolution.
STATE = 352

COSTS = st.builds(
    KvCost,
    full=st.sampled_from([0.0, 0.625, 3.0, 4096.0]),
    sliding=st.sampled_from([0.0, 1.125, 512.0]),
    window=st.sampled_from([None, 4, 1000]),
    fixed=st.integers(0, 10_000),
)


def test_one_size_counts_for_all_layers():
    assert kv_cost(SHAPE, 2) == KvCost(full=220, sliding=100, window=16, fixed=STATE)


def test_each_layer_may_have_a_size_of_its_own():
    assert kv_cost(SHAPE, (1.0, 4.0, 0.5)) == KvCost(105, 200, 16, STATE)


def test_sizes_have_to_be_those_of_the_layers():
    with pytest.raises(ValueError, match="zip"):
        kv_cost(SHAPE, (1.0, 2.0))


def test_tokens_beyond_the_window_cost_less():
    cost = KvCost(full=10, sliding=5, window=16, fixed=7)

    assert [cost.of(length) for length in (0, 1, 16, 17)] == [7, 22, 247, 257]


@given(COSTS, st.integers(0, 10**7))
def test_the_longest_sequence_is_the_longest_that_fits(cost, nbytes):
    longest = cost.longest(nbytes)

    if longest == math.inf:
        assert cost.of(10**12) <= nbytes
    elif longest > 0:
        assert cost.of(int(longest)) <= nbytes
        assert cost.of(int(longest) + 2) > nbytes
    else:
        assert cost.of(1) >= nbytes
