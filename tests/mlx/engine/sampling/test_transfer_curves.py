"""Drawing along a curve: the distribution is that of the bent log-probabilities."""

import mlx.core as mx
import numpy as np
import pytest

from inference.engine.sampling.sampler import Sampler, SamplingRow
from inference.engine.sampling.transfer_curves import evaluate
from inference.engine.signal import BINS, LEAST, SignalReader, histogram
from inference.request import SamplingParams
from inference.transfer_curve import TransferCurve

IDENTITY = TransferCurve.through([(1e-4, 1e-4), (1, 1), (100, 100)])
BENT = TransferCurve.through([(1e-4, 1e-3), (0.5, 2), (9, 20), (100, 100)])
LOGITS = mx.array([[2.0, 1.0, 0.5, 0.0, -1.0, -9.0]])


def values(curve, logprobs):
    return np.array(evaluate(curve, mx.array(logprobs)))


def test_a_curve_goes_through_its_points_and_straight_on_beyond_them():
    assert values(BENT, BENT.x) == pytest.approx(BENT.y, abs=1e-5)
    beyond = [BENT.x[0] - 2, BENT.x[-1] + 0.5]
    expected = [BENT.y[0] - 2 * BENT.left_slope, BENT.y[-1] + 0.5 * BENT.slopes[-1]]
    assert values(BENT, beyond) == pytest.approx(expected, abs=1e-5)


def test_a_curve_never_reorders_tokens():
    scores = values(BENT, np.linspace(-30, 0, 2000))

    assert (np.diff(scores) >= -1e-5).all()


def test_what_is_forbidden_stays_forbidden():
    assert values(BENT, [-np.inf])[0] == -np.inf


def draws(params, count=4000):
    sampler = Sampler([SamplingRow(params)], LOGITS.shape[-1])
    newest = mx.array([0])
    drawn = [sampler.draw(LOGITS, [step], newest).tokens.item() for step in range(count)]
    return np.bincount(drawn, minlength=LOGITS.shape[-1]) / count


def softmax(scores):
    return np.exp(scores - np.logaddexp.reduce(scores))


@pytest.mark.parametrize("curve", [IDENTITY, BENT])
def test_tokens_are_drawn_by_the_bent_distribution_whatever_the_temperature(curve):
    logprobs = LOGITS[0] - mx.logsumexp(LOGITS[0])
    expected = softmax(values(curve, logprobs).astype(float))
    params = SamplingParams(transfer_curve=curve, temperature=0.3, top_k=1, top_p=0.1, seed=3)

    assert draws(params) == pytest.approx(expected, abs=0.03)


def test_rows_without_a_curve_are_drawn_as_ever():
    plain = SamplingParams(temperature=1.0, seed=5)
    mixed = Sampler([SamplingRow(plain), SamplingRow(SamplingParams(transfer_curve=BENT))], 6)
    alone = Sampler([SamplingRow(plain)], 6)
    two = mx.concatenate([LOGITS, LOGITS])

    for step in range(50):
        both = mixed.draw(two, [step, step], mx.array([0, 0])).tokens
        assert both[0].item() == alone.draw(LOGITS, [step], mx.array([0])).tokens.item()


def test_a_histogram_counts_every_token_once():
    counts = histogram(np.array([0.0, LEAST, LEAST - 5, -np.inf, LEAST / 2]))

    assert (len(counts), sum(counts)) == (BINS, 5)
    assert (counts[0], counts[BINS // 2], counts[-1]) == (3, 1, 1)


def test_a_prompt_longer_than_a_pass_reads_the_same(tiny_model):
    tokens = list(range(1, 60))

    def read(pass_tokens):
        model = tiny_model("llama").model
        return SignalReader(lambda: model, pass_tokens, lambda: None).read(tokens, lambda: None)

    whole, vocab = read(512)
    pieces, _ = read(16)

    assert sum(whole) == vocab
    assert np.abs(np.array(whole) - np.array(pieces)).sum() <= 4
