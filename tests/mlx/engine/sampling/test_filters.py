"""Each filter for many rows at once, against one row at a time in numpy."""

import math

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.sampling import filters
from inference.request import SamplingParams
from tests.plugins import sampling_reference as reference

VOCABULARY = 40
SEEDS = st.integers(0, 10**6)


def random_logprobs(seed, rows):
    logits = np.random.default_rng(seed).normal(0, 3, (rows, VOCABULARY))
    return np.stack([reference.log_softmax(row) for row in logits]).astype(np.float32)


def column(values, dtype=mx.float32):
    return mx.array([[value] for value in values], dtype=dtype)


def check(filtered, logprobs, params, uniforms=None, exempt=()):
    uniforms = uniforms or [1.0] * len(params)
    for row, one in enumerate(params):
        expected = reference.filtered(logprobs[row], one, uniforms[row], exempt)
        assert np.array_equal(np.isfinite(filtered[row]), np.isfinite(expected)), one
        kept = np.isfinite(expected)
        assert np.array_equal(np.array(filtered[row])[kept], logprobs[row][kept])


@settings(deadline=None, derandomize=True)
@given(SEEDS, st.lists(st.sampled_from([1.0, 0.01, 0.1, 0.5, 0.9, 0.99]), min_size=1, max_size=5))
def test_top_p_keeps_the_likeliest_tokens_up_to_its_mass(seed, top_p):
    logprobs = random_logprobs(seed, len(top_p))
    x = mx.array(logprobs)

    out = filters.keep_from(x, filters.top_p_threshold(mx.sort(x, axis=-1), column(top_p)))

    check(out, logprobs, [SamplingParams(top_p=p) for p in top_p])


@settings(deadline=None, derandomize=True)
@given(SEEDS, st.lists(st.integers(1, VOCABULARY), min_size=1, max_size=5))
def test_top_k_keeps_the_k_likeliest_tokens(seed, top_k):
    logprobs = random_logprobs(seed, len(top_k))
    x = mx.array(logprobs)
    k = column(top_k, mx.int32)

    out = filters.keep_from(x, filters.top_k_threshold(mx.sort(x, axis=-1), k))

    check(out, logprobs, [SamplingParams(top_k=k) for k in top_k])


@settings(deadline=None, derandomize=True)
@given(
    SEEDS,
    st.lists(
        st.tuples(st.sampled_from([1.0, 0.1, 0.5, 0.9, 0.99]), st.integers(1, 12)),
        min_size=1,
        max_size=5,
    ),
)
def test_the_short_way_keeps_what_top_p_and_then_top_k_keep(seed, rows):
    logprobs = random_logprobs(seed, len(rows))
    x = mx.array(logprobs)
    likeliest = mx.sort(mx.topk(x, 12, axis=-1), axis=-1)
    top_p, top_k = column([p for p, _ in rows]), column([k for _, k in rows], mx.int32)

    out = filters.keep_from(x, filters.top_p_k_threshold(likeliest, top_p, top_k))

    check(out, logprobs, [SamplingParams(top_p=p, top_k=k) for p, k in rows])


@settings(deadline=None, derandomize=True)
@given(SEEDS, st.lists(st.sampled_from([0.0, 0.001, 0.05, 0.5, 1.0]), min_size=1, max_size=5))
def test_min_p_keeps_what_is_near_the_likeliest(seed, min_p):
    logprobs = random_logprobs(seed, len(min_p))
    x = mx.array(logprobs)
    logs = column([math.log(p) if p else -math.inf for p in min_p])

    out = filters.keep_from(x, filters.min_p_threshold(x, logs))

    check(out, logprobs, [SamplingParams(min_p=p) for p in min_p])


@pytest.mark.parametrize("exempt", [(), (0, 3, 39)])
@settings(deadline=None, derandomize=True)
@given(
    SEEDS,
    st.lists(st.tuples(st.sampled_from([0.0, 0.05, 0.2, 0.5]), st.booleans()), min_size=1),
)
def test_xtc_leaves_the_least_of_the_top_choices(exempt, seed, rows):
    logprobs = random_logprobs(seed, len(rows))
    acts = mx.array([[on] for _, on in rows])
    ids = mx.array(exempt, dtype=mx.int32) if exempt else None

    out = filters.apply_xtc(mx.array(logprobs), column([t for t, _ in rows]), acts, ids)

    params = [SamplingParams(xtc_probability=1.0, xtc_threshold=t) for t, _ in rows]
    check(out, logprobs, params, [0.0 if on else 1.0 for _, on in rows], exempt)
