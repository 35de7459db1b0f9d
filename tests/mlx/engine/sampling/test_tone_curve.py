"""The tone curve for many rows at once, against its formula for one number."""

import math

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.sampling.sampler import Sampler, SamplingRow
from inference.engine.sampling.tone_curve import ToneCurves
from inference.request import SamplingParams, ToneCurve

NATS = st.sampled_from([0.0, 0.5, 2.0, 4.0, 100.0])
CURVES = st.builds(ToneCurve, NATS, NATS, NATS, st.sampled_from([0.0, 3.0, 6.0]))


def bend(logprob, best, curve, temperature):
    """The curve of one log-probability, as the contract writes it."""
    z, m, w = logprob - (best - curve.pivot_offset), 1 / temperature, curve.width
    if z > w and curve.shoulder > 0:
        return m * w + m * curve.shoulder * math.log(1 + (z - w) / curve.shoulder)
    if z < -w and curve.toe > 0:
        return -m * w - m * curve.toe * math.log(1 + (-z - w) / curve.toe)
    return m * z


def logprobs_of(rows, seed=1):
    logits = mx.array(np.random.default_rng(seed).normal(0, 4, (rows, 30)).astype(np.float32))
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.tuples(CURVES, st.sampled_from([0.3, 1.0, 1.7])), min_size=1, max_size=5))
def test_every_row_follows_its_own_curve(rows):
    logprobs = logprobs_of(len(rows))
    params = [SamplingParams(tone_curve=curve) for curve, _ in rows]

    bent = ToneCurves(params).apply(logprobs, mx.array([[t] for _, t in rows]))

    for row, (curve, temperature) in enumerate(rows):
        values = logprobs[row].tolist()
        expected = [bend(value, max(values), curve, temperature) for value in values]
        np.testing.assert_allclose(np.array(bent[row]), expected, rtol=1e-4, atol=1e-4)
        # It never reorders, and what is forbidden stays so.
        assert np.all(np.diff(np.array(bent[row])[np.argsort(values)]) >= -1e-5)


def test_what_a_grammar_forbids_stays_forbidden():
    logprobs = mx.array([[0.0, -1.0, -mx.inf]])

    bent = ToneCurves([SamplingParams(tone_curve=ToneCurve())]).apply(logprobs, mx.array([[1.0]]))

    assert bent[0, 2].item() == -math.inf
    assert math.isfinite(bent[0, 1].item())


def test_a_curve_without_bends_is_the_temperature():
    straight = SamplingParams(temperature=1.3, tone_curve=ToneCurve(shoulder=0, toe=0), seed=5)
    plain = SamplingParams(temperature=1.3, seed=5)
    logits = logprobs_of(1)

    drawn = [
        [
            Sampler([SamplingRow(p)], 30).draw(logits, [n], mx.array([0])).tokens.item()
            for n in range(40)
        ]
        for p in (straight, plain)
    ]

    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_curve_takes_the_place_of_the_filters_and_leaves_neighbours_alone(temperature):
    curve = ToneCurve(width=0, shoulder=0.01, toe=0.01)
    bent = SamplingParams(temperature=temperature, top_k=1, tone_curve=curve, seed=1)
    greedy = SamplingParams(temperature=1.0, top_k=1, seed=2)
    logits = mx.repeat(logprobs_of(1), 2, axis=0)
    sampler = Sampler([SamplingRow(bent), SamplingRow(greedy)], 30)

    drawn = [sampler.draw(logits, [n, n], mx.array([0, 0])).tokens.tolist() for n in range(30)]

    best = logits[0].argmax().item()
    assert {token for _, token in drawn} == {best}
    assert len({token for token, _ in drawn}) == 1 if temperature == 0 else 10
