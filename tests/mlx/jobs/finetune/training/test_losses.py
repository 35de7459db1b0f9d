"""The losses against their published formulae, in float64 numpy on logits made by hand."""

import mlx.core as mx
import numpy as np
import pytest

from jobs.finetune.data.encoder import Example, Pair
from jobs.finetune.training import losses
from jobs.finetune.training.dpo import Dpo
from jobs.finetune.training.orpo import Orpo
from jobs.finetune.training.pair_scores import Stacked
from jobs.finetune.training.scoring import plain
from jobs.finetune.training.sft import Sft

WORDS = 7
TABLE = np.random.default_rng(0).normal(size=(WORDS, WORDS)) * 2
"""Row t: the logits that follow token t."""
REFERENCE = np.random.default_rng(1).normal(size=(WORDS, WORDS)) * 2
PAIRS = [Pair((1, 2), (3, 4, 5), (6, 0)), Pair((5, 5, 1), (2,), (0, 4, 4, 2))]


class Bigram:
    """A model whose logits depend on the last token alone."""

    def __init__(self, table: np.ndarray) -> None:
        self.table = mx.array(table.astype(np.float32))

    def __call__(self, tokens: mx.array, cache: object = None) -> mx.array:
        return self.table[tokens]


def logprob(table: np.ndarray, before: int, token: int) -> float:
    logits = table[before]
    return float(logits[token] - np.log(np.exp(logits).sum()))


def logprobs(table: np.ndarray, prompt: tuple[int, ...], answer: tuple[int, ...]) -> np.ndarray:
    tokens = (*prompt, *answer)
    return np.array(
        [logprob(table, tokens[i - 1], tokens[i]) for i in range(len(prompt), len(tokens))]
    )


def sigmoid(x: float) -> float:
    return 1 / (1 + np.exp(-x))


def test_sft_is_the_mean_cross_entropy_of_the_tokens_that_count() -> None:
    examples = [Example((1, 2, 3, 4), 2), Example((5, 6, 0, 1, 2, 3), 0)]
    sft = Sft(examples)
    batch = sft.collate([0, 1])

    total, _ = sft.loss(Bigram(TABLE), batch.arrays)

    terms = [*logprobs(TABLE, (1, 2), (3, 4)), *logprobs(TABLE, (5,), (6, 0, 1, 2, 3))]
    assert batch.count == len(terms)
    assert total.item() / batch.count == pytest.approx(-np.mean(terms), rel=1e-5)


@pytest.mark.parametrize("batch_size", [1, 2, 5])
def test_dpo_compares_policy_and_reference(batch_size: int) -> None:
    beta = 0.3
    dpo = Dpo(PAIRS, beta)
    assert sum(dpo.compute_reference(Bigram(REFERENCE), batch_size)) == 2
    batch = dpo.collate([0, 1])

    total, figures = dpo.loss(Bigram(TABLE), batch.arrays)

    expected, margins = 0.0, 0.0
    for pair in PAIRS:
        policy, reference = (
            logprobs(table, pair.prompt, pair.chosen).sum()
            - logprobs(table, pair.prompt, pair.rejected).sum()
            for table in (TABLE, REFERENCE)
        )
        expected -= np.log(sigmoid(beta * (policy - reference)))
        margins += beta * (policy - reference)
    assert (batch.count, total.item()) == (2, pytest.approx(expected, rel=1e-5))
    assert figures["margin"].item() == pytest.approx(margins, rel=1e-5)


@pytest.mark.parametrize("whole", [True, False])
def test_orpo_adds_the_odds_ratio_to_the_likelihood(whole: bool) -> None:
    weight = 0.25
    model = Bigram(TABLE)
    orpo = Orpo(PAIRS, Stacked(plain(model)), weight=weight, whole=whole)
    batch = orpo.collate([0, 1])

    total, figures = orpo.loss(model, batch.arrays)

    expected, ratios = 0.0, 0.0
    for pair in PAIRS:
        chosen, rejected = (
            np.exp(logprobs(TABLE, pair.prompt, answer).mean())
            for answer in (pair.chosen, pair.rejected)
        )
        learnt = (*pair.prompt[1:], *pair.chosen) if whole else pair.chosen
        prompt = pair.prompt[:1] if whole else pair.prompt
        ratio = np.log((chosen / (1 - chosen)) / (rejected / (1 - rejected)))
        expected -= logprobs(TABLE, prompt, learnt).mean() + weight * np.log(sigmoid(ratio))
        ratios += ratio
    assert total.item() == pytest.approx(expected, rel=1e-5)
    assert figures["margin"].item() == pytest.approx(ratios, rel=1e-4)


@pytest.mark.parametrize("mean", [-20.0, -1.0, -1e-3, -1e-5])
def test_log_odds_are_exact_near_both_ends(mean: float) -> None:
    p = np.exp(np.float64(mean))

    found = losses.log_odds(mx.array(mean)).item()

    assert found == pytest.approx(np.log(p) - np.log1p(-p), rel=1e-3)


def test_a_certain_answer_has_finite_odds() -> None:
    assert np.isfinite(losses.log_odds(mx.array(0.0)).item())


def test_a_policy_that_is_its_reference_has_no_margin() -> None:
    same = mx.array([-3.0])

    loss, margin = losses.dpo(same, same * 2, same, same * 2, 0.1)

    assert loss.item() == pytest.approx(np.log(2), rel=1e-6)
    assert margin.item() == 0
