"""Bias and penalties for many rows at once, against one row at a time in numpy."""

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.sampling import processors
from inference.request import SamplingParams
from tests.plugins import sampling_reference as reference

VOCABULARY = 12
TOKENS = st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=9)
ROWS = st.lists(st.tuples(TOKENS, st.integers(0, 5), st.floats(0.5, 2)), min_size=1, max_size=5)


def random_logits(rows, seed=1):
    return np.random.default_rng(seed).normal(0, 3, (rows, VOCABULARY)).astype(np.float32)


def column(values, dtype=mx.float32):
    return mx.array([[value] for value in values], dtype=dtype)


def windows_of(rows):
    """The windows of rows of (tokens, window, penalty), their newest token on the device."""
    history = processors.History([tokens[:-1] for tokens, _, _ in rows], None)
    history.append(mx.array([tokens[-1] for tokens, _, _ in rows]))
    return history.window(column([size for _, size, _ in rows], mx.int32))


@settings(deadline=None, derandomize=True)
@given(ROWS)
def test_a_window_holds_the_newest_tokens_of_each_row(rows):
    ids, inside = windows_of(rows)

    for row, (tokens, size, _) in enumerate(rows):
        held = [t for t, i in zip(ids[row].tolist(), inside[row].tolist(), strict=True) if i]
        assert held == reference.window(tokens, size)


@settings(deadline=None, derandomize=True)
@given(TOKENS, st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=9))
def test_a_limited_history_keeps_what_its_windows_need(tokens, later):
    history = processors.History([tokens], 4)
    for token in later:
        history.append(mx.array([token]))

    ids, inside = history.window(column([4], mx.int32))

    held = [t for t, i in zip(ids[0].tolist(), inside[0].tolist(), strict=True) if i]
    assert held == (tokens + later)[-4:]


@pytest.mark.parametrize("stage", ["repetition", "presence", "frequency"])
@settings(deadline=None, derandomize=True)
@given(rows=ROWS)
def test_a_penalty_falls_on_the_tokens_of_its_window(stage, rows):
    logits = random_logits(len(rows))
    ids, inside = windows_of(rows)
    penalty = column([p for _, _, p in rows])

    match stage:
        case "repetition":
            out = processors.apply_repetition(mx.array(logits), ids, penalty)
        case "presence":
            out = processors.apply_presence(mx.array(logits), ids, penalty)
        case _:
            out = processors.apply_frequency(mx.array(logits), ids, inside, penalty)

    for row, (tokens, size, value) in enumerate(rows):
        params = SamplingParams(**{f"{stage}_penalty": value, f"{stage}_context_size": size})
        expected = reference.processed(logits[row], params, tokens)
        np.testing.assert_allclose(np.array(out[row]), expected, rtol=1e-5, atol=1e-5)


@settings(deadline=None, derandomize=True)
@given(
    st.lists(
        st.dictionaries(st.integers(0, VOCABULARY - 1), st.floats(-100, 100)),
        min_size=1,
        max_size=5,
    )
)
def test_a_bias_is_added_to_the_tokens_it_names(biases):
    logits = random_logits(len(biases))

    out = processors.apply_bias(mx.array(logits), *processors.bias_rows(biases))

    for row, bias in enumerate(biases):
        expected = reference.processed(logits[row], SamplingParams(logit_bias=bias), [])
        np.testing.assert_allclose(np.array(out[row]), expected, rtol=1e-5, atol=1e-5)
