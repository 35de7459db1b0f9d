"""What takes tokens out of the draw: top-p, min-p, XTC and top-k, in this order.

Each filter is a threshold on the log-probability, one for each row, so that rows with
different settings share every operation. All take log-softmaxed (B, V) float32 and write
-inf where a token goes. A threshold of -inf keeps all.
"""

import mlx.core as mx


def top_p_threshold(ascending: mx.array, top_p: mx.array) -> mx.array:
    """Return (B, 1): the least log-probability that top-p keeps.

    ascending: (B, V), sorted. top_p: (B, 1) in (0, 1], 1 is off.
    A token stays when the probabilities up to and including it, counted from the least
    likely, exceed 1 - top_p.
    """
    cumulative = mx.cumsum(mx.exp(ascending), axis=-1)
    kept = mx.where(cumulative > 1 - top_p, ascending, mx.inf)
    # Rounding may leave the total just under 1: the likeliest token always stays.
    least = mx.minimum(mx.min(kept, axis=-1, keepdims=True), ascending[:, -1:])
    return mx.where(top_p < 1, least, -mx.inf)


def top_k_threshold(ascending: mx.array, top_k: mx.array) -> mx.array:
    """Return (B, 1): the log-probability of each row's k-th likeliest token; ties stay.

    ascending: (B, N), the N likeliest tokens sorted. top_k: (B, 1) in [1, N].
    """
    return mx.take_along_axis(ascending, ascending.shape[-1] - top_k, axis=-1)


def top_p_k_threshold(ascending: mx.array, top_p: mx.array, top_k: mx.array) -> mx.array:
    """Return (B, 1): the least log-probability that top-p and then top-k keep.

    ascending: (B, N), the N likeliest tokens sorted; N is at least every row's `top_k`.
    What top-k would drop anyway need not be sorted: a token stays under top-p when all
    tokens likelier than it have less than `top_p` together.
    """
    probabilities = mx.exp(ascending)
    likelier = mx.cumsum(probabilities, axis=-1, reverse=True) - probabilities
    kept = mx.where((likelier < top_p) | (top_p >= 1), ascending, mx.inf)
    # The likeliest has none above it, up to rounding.
    least = mx.minimum(mx.min(kept, axis=-1, keepdims=True), ascending[:, -1:])
    return mx.maximum(least, top_k_threshold(ascending, top_k))


def min_p_threshold(logprobs: mx.array, log_min_p: mx.array) -> mx.array:
    """Return (B, 1): the likeliest token's log-probability plus ln(min_p); -inf is off."""
    return mx.max(logprobs, axis=-1, keepdims=True) + log_min_p


def keep_from(logprobs: mx.array, threshold: mx.array) -> mx.array:
    """Drop what lies below the threshold (B, 1) of its row."""
    return mx.where(logprobs >= threshold, logprobs, -mx.inf)


def apply_xtc(
    logprobs: mx.array, threshold: mx.array, acts: mx.array, exempt: mx.array | None
) -> mx.array:
    """Exclude top choices: of the tokens above the threshold only the least likely stays.

    threshold: (B, 1), a probability among the tokens that are still in.
    acts: (B, 1) bool: whether the row's draw came out so. exempt: (E,) ids never dropped.
    Source: p-e-w, the XTC sampler of text-generation-webui (2024).
    """
    probabilities = mx.softmax(logprobs, axis=-1)
    candidates = mx.where(probabilities > threshold, probabilities, mx.inf)
    drop = acts & (probabilities > mx.min(candidates, axis=-1, keepdims=True))
    if exempt is not None:
        drop[:, exempt] = False
    return mx.where(drop, -mx.inf, logprobs)
