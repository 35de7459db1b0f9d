"""Vectors of rows in company equal those of rows alone, however the passes are cut."""

import random
from array import array
from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.engine.embedder import ModelEmbedder, plan_passes

VOCABULARY = 256


def nothing():
    pass


def make_rows(count, longest=150, seed=7):
    """Rows of random length and tokens, one of a single token and one of the greatest length."""
    numbers = random.Random(seed)
    lengths = [longest, 1, *(numbers.randint(1, longest) for _ in range(count - 2))]
    return [[numbers.randrange(VOCABULARY) for _ in range(length)] for length in lengths]


def alone(model, row):
    """The reference: one row in one pass, its last hidden state scaled by numpy."""
    hidden = np.array(model.model(mx.array([row]))[0, -1], dtype=np.float64)
    return hidden / np.linalg.norm(hidden)


@pytest.fixture(scope="module")
def model(tiny_model):
    return tiny_model("qwen3").model


@pytest.mark.parametrize("pass_tokens", [16, 100, 4096])
def test_rows_in_company_have_the_vectors_of_rows_alone(model, pass_tokens):
    rows = make_rows(24)
    embedder = ModelEmbedder(model, pass_tokens, nothing)

    vectors = embedder.embed(rows, embedder.dimensions, nothing)

    for vector, row in zip(vectors, rows, strict=True):
        np.testing.assert_allclose(vector, alone(model, row), atol=1e-5)


def test_rows_of_equal_tokens_are_told_apart_by_their_order(model):
    embedder = ModelEmbedder(model, 64, nothing)

    one, other = embedder.embed([[1, 2, 3], [3, 2, 1]], embedder.dimensions, nothing)

    assert np.dot(one, other) < 0.999


def test_vectors_are_float32_of_unit_length(model):
    embedder = ModelEmbedder(model, 64, nothing)

    vectors = embedder.embed(make_rows(5), embedder.dimensions, nothing)

    for vector in vectors:
        assert isinstance(vector, array) and vector.typecode == "f"
        assert len(vector) == embedder.dimensions == 64
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)


def test_a_cut_vector_is_the_beginning_of_the_whole_one_scaled_again(model):
    embedder = ModelEmbedder(model, 64, nothing)
    rows = make_rows(4)

    whole = embedder.embed(rows, embedder.dimensions, nothing)
    cut = embedder.embed(rows, 10, nothing)

    for long, short in zip(whole, cut, strict=True):
        begin = np.array(long[:10])
        np.testing.assert_allclose(short, begin / np.linalg.norm(begin), atol=1e-6)


def test_room_is_made_before_every_pass(model):
    happened = []
    embedder = ModelEmbedder(model, 10, lambda: happened.append("room"))

    embedder.embed([[1] * 25, [1] * 4, [1] * 5], embedder.dimensions, nothing)

    assert happened == ["room"] * 4  # the short ones together, the long one in three pieces


def test_what_the_check_raises_ends_the_work_between_two_passes(model):
    calls = []

    def check():
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    embedder = ModelEmbedder(model, 10, nothing)

    with pytest.raises(KeyboardInterrupt):
        embedder.embed([[1] * 100], embedder.dimensions, check)
    assert len(calls) == 3


def test_vectors_that_are_not_finite_are_an_error():
    broken = SimpleNamespace(
        args=SimpleNamespace(hidden_size=4),
        model=lambda tokens, cache: mx.full((*tokens.shape, 4), float("nan")),
    )

    with pytest.raises(ArithmeticError, match="finite"):
        ModelEmbedder(broken, 8, nothing).embed([[1]], 4, nothing)


def test_a_vector_of_zeros_stays_one():
    silent = SimpleNamespace(
        args=SimpleNamespace(hidden_size=4),
        model=lambda tokens, cache: mx.zeros((*tokens.shape, 4)),
    )

    [vector] = ModelEmbedder(silent, 8, nothing).embed([[1]], 4, nothing)

    assert list(vector) == [0, 0, 0, 0]


@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 64))
def test_passes_hold_every_row_once_and_stay_within_the_budget(lengths, budget):
    groups = plan_passes(lengths, budget)

    assert sorted(index for group in groups for index in group) == list(range(len(lengths)))
    for group in groups:
        longest = max(lengths[index] for index in group)
        assert len(group) * longest <= budget or len(group) == 1


@given(st.lists(st.integers(1, 64), min_size=1, max_size=400))
def test_few_of_the_computed_tokens_are_padding(lengths):
    budget = 64

    computed = sum(
        len(group) * max(lengths[index] for index in group)
        for group in plan_passes(lengths, budget)
    )

    # From group to group lengths only grow, so all padding together is bounded.
    assert computed - sum(lengths) <= budget * 6
