"""The whole pipeline for many rows at once, against one row at a time in numpy."""

import math

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.sampling.noise import gumbel_rows, uniform_rows
from inference.engine.sampling.sampler import Sampler, SamplingRow
from inference.request import SamplingParams
from tests.plugins import sampling_reference as reference

VOCABULARY = 40
EXEMPT = (3, 17)
TOKEN = st.integers(0, VOCABULARY - 1)
PARAMS = st.builds(
    SamplingParams,
    logit_bias=st.dictionaries(TOKEN, st.floats(-5, 5), max_size=3),
    repetition_penalty=st.sampled_from([1.0, 1.3, 0.7]),
    repetition_context_size=st.integers(0, 4),
    presence_penalty=st.sampled_from([0.0, 1.5, -1.0]),
    presence_context_size=st.integers(0, 4),
    frequency_penalty=st.sampled_from([0.0, 0.8]),
    frequency_context_size=st.integers(0, 4),
    top_p=st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    min_p=st.sampled_from([0.0, 0.02, 0.2]),
    xtc_probability=st.sampled_from([0.0, 0.5, 1.0]),
    xtc_threshold=st.sampled_from([0.0, 0.1, 0.4]),
    top_k=st.sampled_from([0, 1, 2, 10, VOCABULARY, 10**6]),
    temperature=st.sampled_from([0.0, 0.3, 1.0, 1.5]),
    seed=st.integers(0, 2**64 - 1),
)
ROW = st.tuples(PARAMS, st.lists(TOKEN, min_size=1, max_size=8))
ROWS = st.lists(ROW, min_size=1, max_size=5)


def random_logits(seed, rows, size=VOCABULARY):
    return np.random.default_rng(seed).normal(0, 3, (rows, size)).astype(np.float32)


def make_sampler(rows, size=VOCABULARY, logprobs=None):
    """Rows of (params, tokens so far)."""
    return Sampler(
        [SamplingRow(params, lambda t=tokens: t[:-1], logprobs) for params, tokens in rows],
        size,
        EXEMPT,
    )


def newest(rows):
    return mx.array([tokens[-1] for _, tokens in rows])


def draw(logits, rows, steps):
    return make_sampler(rows).draw(mx.array(logits), steps, newest(rows)).tokens.tolist()


def plain(**settings):
    return SamplingParams(**{"temperature": 1.0, **settings}), [0]


@settings(deadline=None, derandomize=True, max_examples=200)
@given(ROWS, st.integers(0, 10**6))
def test_a_draw_is_the_best_score_plus_noise_of_what_the_stages_leave(rows, seed):
    logits = random_logits(seed, len(rows))
    steps = list(range(len(rows)))

    tokens = draw(logits, rows, steps)

    seeds = [params.seed for params, _ in rows]
    noise = np.array(gumbel_rows(seeds, steps, VOCABULARY), dtype=np.float64)
    uniform = np.array(uniform_rows(seeds, steps))[:, 0]
    for row, (params, seen) in enumerate(rows):
        scores = reference.log_softmax(reference.processed(logits[row], params, seen))
        if params.temperature > 0:
            scores = reference.filtered(scores, params, uniform[row], EXEMPT)
            scores = scores / params.temperature + noise[row]
        assert scores[tokens[row]] == pytest.approx(scores.max(), abs=1e-3)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(ROWS, st.integers(0, 10**6), st.integers(0, 500))
def test_a_row_draws_the_same_alone_and_among_neighbours(rows, seed, step):
    logits = random_logits(seed, len(rows))
    steps = [step + row for row in range(len(rows))]

    together = draw(logits, rows, steps)
    alone = [draw(logits[r : r + 1], [rows[r]], [steps[r]])[0] for r in range(len(rows))]

    assert together == alone


def test_penalties_follow_the_tokens_that_the_device_draws():
    params = SamplingParams(temperature=0, presence_penalty=100.0, presence_context_size=3)
    sampler = make_sampler([(params, [0])])
    logits = mx.array([[0.0, 4, 3, 2, 1]])

    tokens, newest_token = [], mx.array([0])
    for step in range(1, 6):
        newest_token = sampler.draw(logits, [step], newest_token).tokens
        tokens.append(newest_token.item())

    # The window of three forgets 0 after the third token, 1 after the fourth.
    assert tokens == [1, 2, 3, 4, 1]


@pytest.mark.parametrize("size", [VOCABULARY, 5000])
@settings(deadline=None, derandomize=True, max_examples=30)
@given(rows=ROWS, seed=st.integers(0, 10**6))
def test_large_vocabularies_take_the_short_way_to_the_same_tokens(size, rows, seed):
    logits = random_logits(seed, len(rows), size)
    steps = list(range(len(rows)))

    tokens = make_sampler(rows, size).draw(mx.array(logits), steps, newest(rows)).tokens.tolist()

    uniform = np.array(uniform_rows([p.seed for p, _ in rows], steps))[:, 0]
    for row, (params, seen) in enumerate(rows):
        scores = reference.log_softmax(reference.processed(logits[row], params, seen))
        kept = reference.filtered(scores, params, uniform[row], EXEMPT)
        assert params.temperature == 0 or np.isfinite(kept[tokens[row]])


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
def test_every_type_of_logits_is_taken(dtype):
    logits = mx.array(random_logits(3, 2)).astype(dtype)
    rows = [plain(temperature=0), plain(temperature=0.5, top_p=0.5, top_k=3)]

    tokens = make_sampler(rows).draw(logits, [1, 1], newest(rows)).tokens

    assert (tokens.shape, tokens.dtype) == ((2,), mx.uint32)
    assert tokens[0].item() == logits[0].argmax().item()


def test_equal_seeds_draw_equal_tokens_and_others_do_not():
    logits = np.zeros((1, 1000), np.float32)

    def answer(seed):
        return [draw(logits, [plain(seed=seed)], [step])[0] for step in range(1, 21)]

    assert answer(5) == answer(5)
    seeds = [0, 1, 5, 2**32, 2**32 + 1, 2**63, 2**64 - 1]
    assert len({tuple(answer(seed)) for seed in seeds}) == len(seeds)
    assert len(set(answer(5))) > 15  # every step draws afresh


@pytest.mark.parametrize(
    ("temperature", "top_p", "top_k"), [(1.0, 0.0, 0), (0.7, 0.0, 0), (1.0, 0.8, 0), (1.3, 0.0, 4)]
)
def test_frequencies_follow_the_probabilities(temperature, top_p, top_k):
    size, draws = 12, 6000
    logits = random_logits(7, 1, size) / 2
    options = {"temperature": temperature, "top_p": top_p, "top_k": top_k}
    scores = reference.filtered(
        reference.log_softmax(logits[0].astype(np.float64)), SamplingParams(**options), 1.0
    )
    kept = np.flatnonzero(np.isfinite(scores))
    weights = np.exp(scores[kept] / temperature)
    expected = draws * weights / weights.sum()

    rows = [plain(**options, seed=seed) for seed in range(20)]
    sampler = Sampler([SamplingRow(params) for params, _ in rows], size)
    repeated = mx.array(np.repeat(logits, 20, axis=0))
    tokens = []
    for step in range(draws // 20):
        tokens += sampler.draw(repeated, [step] * 20, newest(rows)).tokens.tolist()

    counts = np.bincount(tokens, minlength=size)
    assert counts.sum() == counts[kept].sum() == draws
    chi_square = float(((counts[kept] - expected) ** 2 / expected).sum())
    # Mean and variance of chi-square are n and 2n; five deviations above is no accident.
    freedom = len(kept) - 1
    assert chi_square < freedom + 5 * math.sqrt(2 * freedom)


def test_xtc_spares_the_exempt_tokens():
    logits = np.full((1, VOCABULARY), -50.0, np.float32)
    logits[0, [EXEMPT[0], 5, 6]] = [2.0, 1.0, 0.0]
    options = {"xtc_probability": 1.0, "xtc_threshold": 0.05}

    tokens = {draw(logits, [plain(**options, seed=seed)], [1])[0] for seed in range(60)}

    assert tokens == {EXEMPT[0], 6}


@settings(deadline=None, derandomize=True, max_examples=50)
@given(ROWS, st.integers(0, 5), st.integers(0, 10**6))
def test_scores_are_the_logprobs_between_processors_and_filters(rows, count, seed):
    logits = random_logits(seed, len(rows))

    drawn = make_sampler(rows, logprobs=count).draw(mx.array(logits), [1] * len(rows), newest(rows))

    scores, tokens = drawn.scores.read(), drawn.tokens.tolist()
    for row, (params, seen) in enumerate(rows):
        expected = reference.log_softmax(reference.processed(logits[row], params, seen))
        assert scores[row].chosen == pytest.approx(expected[tokens[row]], abs=1e-4)
        values = [value for _, value in scores[row].top]
        assert values == pytest.approx(sorted(expected)[::-1][:count], abs=1e-4)
        assert values == sorted(values, reverse=True)
        assert all(
            value == pytest.approx(expected[token], abs=1e-4) for token, value in scores[row].top
        )


def test_only_the_rows_that_ask_are_scored():
    logits = mx.array(random_logits(1, 3))
    params = SamplingParams(temperature=0)
    rows = [SamplingRow(params), SamplingRow(params, logprobs=0), SamplingRow(params, logprobs=2)]

    drawn = Sampler(rows, VOCABULARY).draw(logits, [1] * 3, mx.array([0, 0, 0]))

    scores = drawn.scores.read()
    assert {row: len(one.top) for row, one in scores.items()} == {1: 0, 2: 2}
    assert Sampler(rows[:1], VOCABULARY).draw(logits[:1], [1], mx.array([0])).scores is None


def alone(logits, **params):
    return draw(np.array([logits], dtype=np.float32), [(SamplingParams(**params), [1])], [0])


@pytest.mark.parametrize("temperature", [1e-40, 1e-45, 1e-300, 5e-324, 1e-38, 1e-30])
def test_a_temperature_too_small_for_float32_takes_the_likeliest_token(temperature):
    assert alone([-9.0, 2.0, 5.0, 4.9], temperature=temperature) == [2]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("bias", [-1e39, -1e300, -3.4e38])
def test_a_bias_too_large_for_float32_still_forbids_its_token(temperature, bias):
    logits = [9.0, 2.0, 0.0, -1.0]

    assert alone(logits, temperature=temperature, logit_bias={0: bias}) != [0]


@pytest.mark.parametrize("temperature", [0.0, 1e-40, 1.0])
@pytest.mark.parametrize("bias", [1e39, 1e300, 3.4e38])
def test_a_bias_too_large_for_float32_still_forces_its_token(temperature, bias):
    assert alone([9.0, 2.0, 0.0, -1.0], temperature=temperature, logit_bias={2: bias}) == [2]


def test_a_row_whose_tokens_are_all_forbidden_but_one_draws_that_one():
    biases = {token: -1e39 for token in range(VOCABULARY) if token != 7}
    logits = random_logits(1, 1)[0]

    for temperature in (0.0, 1e-40, 0.5, 1.5):
        assert alone(logits, temperature=temperature, logit_bias=biases) == [7]


@pytest.mark.parametrize("penalty", [1e39, -1e39, 1e300])
@pytest.mark.parametrize("name", ["presence_penalty", "frequency_penalty"])
def test_a_penalty_too_large_for_float32_leaves_probabilities_that_are_numbers(name, penalty):
    sampler = make_sampler([(SamplingParams(temperature=1.0, **{name: penalty}), [1])], 4, 0)

    drawn = sampler.draw(mx.array([[0.0, 1.0, 2.0, 3.0]]), [0], mx.array([1]))

    assert math.isfinite(drawn.scores.read()[0].chosen)
    assert (drawn.tokens.item() == 1) is (penalty < 0)


@pytest.mark.parametrize("bias", [-1e39, -1e300, 1e39])
def test_the_only_token_that_a_grammar_allows_is_drawn_whatever_its_bias(bias):
    sampler = make_sampler([(SamplingParams(temperature=1.0, logit_bias={7: bias}), [1])], 32)

    drawn = sampler.draw(mx.zeros((1, 32)), [0], mx.array([1]), np.array([[1 << 7]], np.int32))

    assert drawn.tokens.item() == 7


@pytest.mark.parametrize("penalty", [1e300, 1e39, 1e-300, 0.0])
def test_a_repetition_penalty_of_any_size_draws_no_forbidden_token(penalty):
    params = SamplingParams(temperature=1.0, repetition_penalty=penalty, logit_bias={3: -1e39})
    sampler = make_sampler([(params, [7])], 32)

    drawn = sampler.draw(mx.zeros((1, 32)), [0], mx.array([7]), np.array([[1 << 7]], np.int32))

    assert drawn.tokens.item() == 7
