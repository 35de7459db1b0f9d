"""A prompt computed once for both of its answers, gradients included."""

from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import KVCache, make_prompt_cache

from jobs.finetune.training.scoring import Scorer


def can_share(model: Any) -> bool:
    """Whether every layer keeps plain keys and values, which two answers can go on from."""
    return all(type(cache) is KVCache for cache in make_prompt_cache(model))


def score_answers(
    scorer: Scorer, num_layers: int, prompt: mx.array, answers: list[mx.array]
) -> tuple[mx.array, list[mx.array]]:
    """Return the log-probabilities of the prompt's tokens and of each answer's.

    prompt: (1, P); answers: each (1, A), A at least 2, padded at the end at will. The first token
    of the prompt is predicted from nothing and has none: (1, P - 1), and for each answer (1, A).
    """
    caches = [KVCache() for _ in range(num_layers)]
    states = scorer.run(prompt, cache=caches)
    kept = [cache.keys_and_values() for cache in caches]
    scores = []
    for answer in answers:
        # The last of the prompt predicts the answer's first token.
        goes_on = scorer.run(answer[:, :-1], cache=[_filled(*pair) for pair in kept])
        scores.append(scorer.score(mx.concatenate([states[:, -1:], goes_on], axis=1), answer))
    if prompt.shape[1] == 1:
        return mx.zeros((1, 0)), scores
    return scorer.score(states[:, :-1], prompt[:, 1:]), scores


def _filled(keys: mx.array, values: mx.array) -> KVCache:
    cache = KVCache()
    cache.keys, cache.values, cache.offset = keys, values, keys.shape[2]
    return cache
