"""The losses of preference tuning, row by row, from log-probabilities. Shapes are (B,), float32.

DPO: Rafailov et al., 2023. ORPO: Hong et al., 2024.
"""

import mlx.core as mx
from mlx.nn.layers.activations import log_sigmoid

# A probability of exactly 1 would have infinite odds.
LARGEST_LOGPROB = -1e-6


def dpo(
    chosen: mx.array,
    rejected: mx.array,
    reference_chosen: mx.array,
    reference_rejected: mx.array,
    beta: float,
) -> tuple[mx.array, mx.array]:
    """Return losses and margins, from summed log-probabilities of answers.

    The margin is how much more than the reference the policy prefers the chosen answer, times
    beta; the loss is -log sigmoid(margin).
    """
    margin = beta * ((chosen - reference_chosen) - (rejected - reference_rejected))
    return -log_sigmoid(margin), margin


def orpo(
    nll: mx.array, chosen: mx.array, rejected: mx.array, weight: float
) -> tuple[mx.array, mx.array]:
    """Return losses and margins, from mean log-probabilities of answers.

    nll: mean negative log-likelihood of what is to be learnt. The margin is the log of the odds
    ratio, and the loss nll - weight * log sigmoid(margin).
    """
    margin = log_odds(chosen) - log_odds(rejected)
    return nll - weight * log_sigmoid(margin), margin


def log_odds(mean: mx.array) -> mx.array:
    """log(p / (1 - p)) of p = exp(mean), exact also where p is almost 1."""
    mean = mx.minimum(mean, LARGEST_LOGPROB)
    return mean - mx.log(-mx.expm1(mean))
