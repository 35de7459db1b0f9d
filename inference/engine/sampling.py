"""From logits to tokens, for all rows of a batch at once.

Order, as the wire contract gives it: log-softmax, top-p, top-k, temperature, draw. Each
filter is a threshold per row, so rows with different settings share every operation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from inference.request import SamplingParams

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class SamplingRows:
    """The settings of the rows of a batch, laid out for the device.

    temperature, top_p: (B, 1) float32; top_k: (B, 1) int32.
    seeds: one per row.
    any_*: whether any row needs that stage at all.
    """

    temperature: mx.array
    top_p: mx.array
    top_k: mx.array
    seeds: tuple[int, ...]
    any_draw: bool
    any_filter: bool

    @classmethod
    def from_params(cls, rows: Sequence[SamplingParams], vocab_size: int) -> "SamplingRows":
        """Lay out one row per element of `rows`; off becomes the value that keeps all."""
        top_p = [p.top_p if 0 < p.top_p < 1 else 1.0 for p in rows]
        top_k = [min(p.top_k, vocab_size) if p.top_k > 0 else vocab_size for p in rows]
        return cls(
            temperature=mx.array([[p.temperature] for p in rows], dtype=mx.float32),
            top_p=mx.array([[p] for p in top_p], dtype=mx.float32),
            top_k=mx.array([[k] for k in top_k], dtype=mx.int32),
            seeds=tuple(p.seed for p in rows),
            any_draw=any(p.temperature > 0 for p in rows),
            any_filter=any(p < 1 for p in top_p) or any(k < vocab_size for k in top_k),
        )


def sample(logits: mx.array, rows: SamplingRows, steps: Sequence[int]) -> mx.array:
    """Draw one token for each row.

    logits: (B, V), any float type.
    steps: per row, which of its tokens this is; with the seed it fixes the draw.
    Returns (B,) uint32.
    """
    greedy = mx.argmax(logits, axis=-1)
    if not rows.any_draw:
        return greedy
    scores = logits.astype(mx.float32)
    if rows.any_filter:
        logprobs = scores - mx.logsumexp(scores, axis=-1, keepdims=True)
        scores = apply_top_p_top_k(logprobs, rows.top_p, rows.top_k)
    # A temperature of 0 divides by 1 here and is overruled below.
    temperature = mx.where(rows.temperature > 0, rows.temperature, 1.0)
    noise = gumbel_rows(rows.seeds, steps, logits.shape[-1])
    drawn = mx.argmax(scores / temperature + noise, axis=-1)
    return mx.where(rows.temperature[:, 0] > 0, drawn, greedy)


def apply_top_p_top_k(logprobs: mx.array, top_p: mx.array, top_k: mx.array) -> mx.array:
    """Mask what top-p and then top-k leave out, with -inf.

    logprobs: (B, V) float32, log-softmaxed.
    top_p: (B, 1) in (0, 1]; a token stays when the probabilities up to and including it,
        counted from the least likely, exceed 1 - top_p.
    top_k: (B, 1) in [1, V]; ties with the k-th stay.
    """
    ascending = mx.sort(logprobs, axis=-1)
    size = logprobs.shape[-1]
    cumulative = mx.cumsum(mx.exp(ascending), axis=-1)
    kept_by_p = mx.where(cumulative > 1 - top_p, ascending, mx.inf)
    # Rounding may leave the total just under 1: the likeliest token always stays.
    likeliest = ascending[:, -1:]
    threshold_p = mx.minimum(mx.min(kept_by_p, axis=-1, keepdims=True), likeliest)
    threshold_p = mx.where(top_p < 1, threshold_p, -mx.inf)
    threshold_k = mx.take_along_axis(ascending, size - top_k, axis=-1)
    return mx.where(logprobs >= mx.maximum(threshold_p, threshold_k), logprobs, -mx.inf)


def gumbel_rows(seeds: Sequence[int], steps: Sequence[int], size: int) -> mx.array:
    """Return (B, size) Gumbel noise; a row's noise depends on its seed and step alone.

    Adding it to log-probabilities and taking the largest draws from them
    (the Gumbel-max trick).
    """
    keys = mx.array([_key(s, t) for s, t in zip(seeds, steps, strict=True)], dtype=mx.uint32)
    noise: mx.array = mx.vmap(lambda key: mx.random.gumbel(shape=(size,), key=key))(keys)
    return noise


def _key(seed: int, step: int) -> tuple[int, int]:
    """Mix seed and step into a 64-bit key, in two halves (SplitMix64, Steele et al. 2014)."""
    z = (seed + (step + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    z ^= z >> 31
    return z >> 32, z & 0xFFFFFFFF
