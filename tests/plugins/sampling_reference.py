"""One row's sampling in plain numpy, float64, written for clarity: what ours must equal."""

import numpy as np

from inference.request import SamplingParams


def window(tokens: list[int], size: int) -> list[int]:
    return tokens[-size:] if size else tokens


def processed(logits: np.ndarray, params: SamplingParams, tokens: list[int]) -> np.ndarray:
    """Apply bias and penalties to logits (V,) that follow `tokens`."""
    out = logits.astype(np.float64)
    for token, bias in params.logit_bias.items():
        out[token] += bias
    for token in set(window(tokens, params.repetition_context_size)):
        penalty = params.repetition_penalty
        out[token] = out[token] * penalty if out[token] < 0 else out[token] / penalty
    for token in set(window(tokens, params.presence_context_size)):
        out[token] -= params.presence_penalty
    for token in window(tokens, params.frequency_context_size):
        out[token] -= params.frequency_penalty
    return out


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max()
    return shifted - np.log(np.exp(shifted).sum())


def filtered(
    logprobs: np.ndarray, params: SamplingParams, uniform: float, exempt: tuple[int, ...] = ()
) -> np.ndarray:
    """Apply top-p, min-p, XTC and top-k in turn to log-probabilities (V,)."""
    out = logprobs.astype(np.float64).copy()
    if 0 < params.top_p < 1:
        order = np.argsort(out, kind="stable")
        cumulative = np.cumsum(np.exp(out[order]))
        drop = order[cumulative <= 1 - params.top_p]
        out[drop[drop != order[-1]]] = -np.inf
    if params.min_p > 0:
        out[out < out.max() + np.log(params.min_p)] = -np.inf
    if uniform < params.xtc_probability:
        shares = np.exp(out - out.max())
        shares /= shares.sum()
        above = shares[shares > params.xtc_threshold]
        if above.size:
            drop = shares > above.min()
            drop[list(exempt)] = False
            out[drop] = -np.inf
    if 0 < params.top_k < len(out):
        out[out < np.sort(out)[-params.top_k]] = -np.inf
    return out
