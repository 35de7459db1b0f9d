"""Sampling for many rows at once, against one row at a time in numpy."""

import math

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.sampling import SamplingRows, apply_top_p_top_k, gumbel_rows, sample
from inference.request import SamplingParams

VOCABULARY = 40
PARAMS = st.builds(
    SamplingParams,
    temperature=st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.5]),
    top_p=st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.99, 1.0]),
    top_k=st.sampled_from([0, 1, 2, 10, VOCABULARY, 10**6]),
    seed=st.integers(0, 2**64 - 1),
)


def random_logits(seed, rows, size=VOCABULARY):
    return np.random.default_rng(seed).normal(0, 3, (rows, size)).astype(np.float32)


def draw(logits, params, steps):
    rows = SamplingRows.from_params(params, logits.shape[-1])
    return sample(mx.array(logits), rows, steps).tolist()


def kept_in_numpy(logits, params):
    """Return the tokens that top-p and top-k leave of one row of logits."""
    probabilities = np.exp(logits.astype(np.float64) - logits.max())
    probabilities /= probabilities.sum()
    order = np.argsort(probabilities)
    kept = set(range(len(logits)))
    if 0 < params.top_p < 1:
        below = np.cumsum(probabilities[order])
        kept = {int(t) for t, c in zip(order, below, strict=True) if c > 1 - params.top_p}
        kept.add(int(order[-1]))
    if params.top_k > 0:
        kept &= {int(token) for token in order[-params.top_k :]}
    return kept


def test_temperature_zero_takes_the_likeliest_token():
    logits = random_logits(1, 8)

    tokens = draw(logits, [SamplingParams(temperature=0)] * 8, [1] * 8)

    assert tokens == logits.argmax(-1).tolist()


@settings(deadline=None, derandomize=True)
@given(st.lists(PARAMS, min_size=1, max_size=6), st.integers(0, 10**6))
def test_the_filters_keep_what_they_keep_row_by_row(params, seed):
    logits = random_logits(seed, len(params))
    rows = SamplingRows.from_params(params, VOCABULARY)
    scores = mx.array(logits)
    logprobs = scores - mx.logsumexp(scores, axis=-1, keepdims=True)

    filtered = np.array(apply_top_p_top_k(logprobs, rows.top_p, rows.top_k))

    for row, one in enumerate(params):
        kept = set(np.flatnonzero(np.isfinite(filtered[row])).tolist())
        assert kept == kept_in_numpy(logits[row], one)
        assert np.array_equal(filtered[row][list(kept)], np.array(logprobs)[row][list(kept)])


@settings(deadline=None, derandomize=True)
@given(st.lists(PARAMS, min_size=1, max_size=6), st.integers(0, 10**6), st.integers(0, 500))
def test_a_row_draws_the_same_alone_and_among_neighbours(params, seed, step):
    logits = random_logits(seed, len(params))
    steps = [step + row for row in range(len(params))]

    together = draw(logits, params, steps)
    alone = [draw(logits[r : r + 1], [params[r]], [steps[r]])[0] for r in range(len(params))]

    assert together == alone


@settings(deadline=None, derandomize=True)
@given(st.lists(PARAMS, min_size=1, max_size=6), st.integers(0, 10**6))
def test_a_draw_is_the_best_score_plus_noise_of_what_the_filters_keep(params, seed):
    logits = random_logits(seed, len(params))
    steps = list(range(len(params)))

    tokens = draw(logits, params, steps)

    noise = np.array(gumbel_rows([p.seed for p in params], steps, VOCABULARY), dtype=np.float64)
    for row, one in enumerate(params):
        kept = sorted(kept_in_numpy(logits[row], one))
        scores = logits[row].astype(np.float64)
        if one.temperature > 0:
            scores = scores / one.temperature + noise[row]
        scores = scores[kept]
        assert tokens[row] in kept
        assert scores[kept.index(tokens[row])] == pytest.approx(scores.max(), abs=1e-3)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
def test_every_type_of_logits_is_taken(dtype):
    logits = mx.array(random_logits(3, 2)).astype(dtype)
    params = [SamplingParams(temperature=0), SamplingParams(temperature=0.5, top_p=0.5, top_k=3)]

    tokens = sample(logits, SamplingRows.from_params(params, VOCABULARY), [1, 1])

    assert (tokens.shape, tokens.dtype) == ((2,), mx.uint32)
    assert tokens[0].item() == logits[0].argmax().item()


def test_equal_seeds_draw_equal_tokens_and_others_do_not():
    logits = np.zeros((1, 1000), np.float32)

    def answer(seed):
        params = [SamplingParams(temperature=1, seed=seed)]
        return [draw(logits, params, [step])[0] for step in range(1, 21)]

    assert answer(5) == answer(5)
    seeds = [0, 1, 5, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    assert len({tuple(answer(seed)) for seed in seeds}) == len(seeds)
    assert len(set(answer(5))) > 15  # every step draws afresh


def test_the_steps_of_one_seed_are_not_those_of_the_next():
    noise = gumbel_rows([1, 1, 2, 2], [1, 2, 0, 1], 100)

    assert len({tuple(row) for row in noise.tolist()}) == 4


@pytest.mark.parametrize(
    ("temperature", "top_p", "top_k"), [(1.0, 0.0, 0), (0.7, 0.0, 0), (1.0, 0.8, 0), (1.3, 0.0, 4)]
)
def test_frequencies_follow_the_probabilities(temperature, top_p, top_k):
    size, draws = 12, 6000
    logits = random_logits(7, 1, size) / 2
    one = SamplingParams(temperature=temperature, top_p=top_p, top_k=top_k)
    kept = sorted(kept_in_numpy(logits[0], one))
    weights = np.exp(logits[0][kept].astype(np.float64) / temperature)
    expected = draws * weights / weights.sum()

    params = [
        SamplingParams(temperature=temperature, top_p=top_p, top_k=top_k, seed=seed)
        for seed in range(20)
    ]
    rows = SamplingRows.from_params(params, size)
    repeated = mx.array(np.repeat(logits, 20, axis=0))
    tokens = [
        t for step in range(draws // 20) for t in sample(repeated, rows, [step] * 20).tolist()
    ]

    counts = np.bincount(tokens, minlength=size)
    assert counts.sum() == counts[kept].sum() == draws
    chi_square = float(((counts[kept] - expected) ** 2 / expected).sum())
    # Mean and variance of chi-square are n and 2n; five deviations above is no accident.
    freedom = len(kept) - 1
    assert chi_square < freedom + 5 * math.sqrt(2 * freedom)


def test_noise_is_gumbel_noise():
    noise = np.array(gumbel_rows(range(50), [3] * 50, 2000), dtype=np.float64)

    assert np.isfinite(noise).all()
    assert noise.mean() == pytest.approx(0.5772, abs=0.02)
    assert noise.var() == pytest.approx(math.pi**2 / 6, abs=0.05)


def test_settings_that_are_off_cost_no_stage():
    plain = SamplingRows.from_params([SamplingParams(temperature=0, top_p=0, top_k=0)], 9)
    full = SamplingRows.from_params([SamplingParams(temperature=1, top_p=1, top_k=9)], 9)
    cut = SamplingRows.from_params([SamplingParams(temperature=1, top_k=8)], 9)

    assert (plain.any_draw, plain.any_filter) == (False, False)
    assert (full.any_draw, full.any_filter) == (True, False)
    assert (cut.any_draw, cut.any_filter) == (True, True)
