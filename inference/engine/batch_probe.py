"""Finds out by trying whether sequences can share a model's steps.

Caches that cannot be merged are easily told; attention that takes the mask or the position
of a single row for granted is not.
"""

import logging
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import make_prompt_cache

from inference.engine.cache.batch import BatchCache
from inference.engine.sequence import Sequence
from inference.request import SamplingParams

logger = logging.getLogger(__name__)

_PROMPTS = ([1], [1, 2, 3, 4, 5], [5, 4, 3])
_NEXT = 6  # the token that follows each of them
_STEPS_KEPT = ((0, 1, 2), (1, 2), (1,))  # rows of each step: all, some, the last one
# How far a row's logits may be from those it has alone, as a share of their own spread.
# Rounding to half precision moves them by a few hundredths.
_TOLERANCE = 0.25


def can_batch(model: Any) -> bool:
    """Tell whether rows of different lengths can join, decode together and leave.

    A few steps of a few tokens; they also compile what the first batch would wait for.
    Thread: engine only.
    """
    try:
        farthest = _farthest_from_alone(model)
    except Exception as error:  # noqa: BLE001 - whatever it is, the model cannot be batched
        logger.warning("requests will be served one at a time: a batch failed with %r", error)
        return False
    if not farthest <= _TOLERANCE:
        logger.warning("requests will be served one at a time: rows of a batch are not themselves")
        return False
    return True


def _farthest_from_alone(model: Any) -> float:
    alone = [_logits_alone(model, prompt) for prompt in _PROMPTS]
    batch = BatchCache()
    for prompt in _PROMPTS:
        row = Sequence("probe", prompt, SamplingParams(), max_tokens=len(_STEPS_KEPT))
        batch.join(row, _prefilled(model, prompt))
    distances = []
    numbers = list(_STEPS_KEPT[0])
    for step, kept in enumerate(_STEPS_KEPT):
        batch.keep([numbers.index(number) for number in kept])
        numbers = list(kept)
        tokens = [_PROMPTS[number][-1] if step == 0 else _NEXT for number in kept]
        logits = model(mx.array(tokens)[:, None], cache=batch.layers)[:, -1, :]
        distances += [
            _distance(logits[row], alone[number][step]) for row, number in enumerate(kept)
        ]
    return max(distances)


def _logits_alone(model: Any, prompt: list[int]) -> list[mx.array]:
    layers = _prefilled(model, prompt)
    tokens = [prompt[-1], *[_NEXT] * (len(_STEPS_KEPT) - 1)]
    return [model(mx.array([[token]]), cache=layers)[0, -1, :] for token in tokens]


def _prefilled(model: Any, prompt: list[int]) -> list[Any]:
    """Return caches of all but the last token, as a sequence has them when it joins."""
    layers: list[Any] = make_prompt_cache(model)
    if prompt[:-1]:
        model(mx.array([prompt[:-1]]), cache=layers)
    return layers


def _distance(logits: mx.array, expected: mx.array) -> float:
    """Return how far two rows of logits are apart, as a share of the second's spread."""
    logits, expected = logits.astype(mx.float32), expected.astype(mx.float32)
    spread = mx.linalg.norm(expected - mx.mean(expected))
    return float(mx.linalg.norm(logits - expected) / spread)
