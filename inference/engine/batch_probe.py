"""Finds out by trying whether sequences can share a model's steps.

Caches that cannot be merged are easily told; attention that takes the mask or the position
of a single row for granted is not.
"""

import logging
from typing import Any

import mlx.core as mx

from inference.engine.cache.batch import BatchCache
from inference.engine.cache.scheme import BF16, KvScheme
from inference.engine.sequence import Sequence
from inference.request import SamplingParams

logger = logging.getLogger(__name__)

# Token ids that every vocabulary has; the first few are often special. One row is shorter
# than the batch that it joins, one longer.
_PROMPTS = ([100], list(range(101, 113)), [105, 104, 103], list(range(101, 118)))
_NEXT = 106  # follows each of them
_KEPT = ((0, 1, 2, 3), (1, 2), (1,))  # rows of each step: all, two that stay, the one left
# How far a row's logits may be from those it has alone, as a share of their own spread, and
# how many times as far as rounding moves them where nothing is padded. On a GPU, rows without
# padding may take the very kernels of one row, so that rounding seems to move nothing; yet in
# half precision it moves logits by some 0.02. Rows that see what they should not: by 1.
_SLACK = 0.02
_SLACK_HALF = 0.1
_TIMES_ROUNDING = 4


def can_batch(model: Any, scheme: KvScheme = BF16) -> bool:
    """Tell whether rows of different lengths can join, decode together and leave.

    A few steps of a few tokens; they also compile what the first batch would wait for.
    scheme: how keys and values are kept. Thread: engine only.
    """
    if not scheme.batches:
        return False
    alone = [
        _steps(model, _prefilled(model, scheme, [prompt]), [prompt[-1]]) for prompt in _PROMPTS
    ]
    try:
        moved = _distance_in_company(model, scheme, alone)
    except Exception as error:  # noqa: BLE001 - whatever it is, the model cannot be batched
        logger.warning("requests will be served one at a time: a batch failed with %r", error)
        return False
    slack = _SLACK if alone[0][0].dtype == mx.float32 else _SLACK_HALF
    if not moved <= slack + _TIMES_ROUNDING * _distance_unpadded(model, scheme, alone):
        logger.warning("requests will be served one at a time: a batch changes its rows' answers")
        return False
    return True


def _distance_in_company(model: Any, scheme: KvScheme, alone: list[list[mx.array]]) -> float:
    """Return how far any row's logits move when rows of all lengths share its steps."""
    batch = BatchCache()
    for prompt in _PROMPTS:
        row = Sequence("probe", prompt, SamplingParams(), max_tokens=len(_KEPT))
        batch.join(row, _prefilled(model, scheme, [prompt]))
    distances, rows = [], list(_KEPT[0])
    for step, kept in enumerate(_KEPT):
        batch.keep([rows.index(row) for row in kept])
        rows = list(kept)
        tokens = [_PROMPTS[row][-1] if step == 0 else _NEXT for row in rows]
        logits = model(mx.array(tokens)[:, None], cache=batch.layers)[:, -1, :]
        distances += [distance(logits[i], alone[row][step][0]) for i, row in enumerate(rows)]
    return max(distances)


def _distance_unpadded(model: Any, scheme: KvScheme, alone: list[list[mx.array]]) -> float:
    """Return how far rounding alone moves the logits of two equal rows in plain caches."""
    prompt = _PROMPTS[1]
    steps = _steps(model, _prefilled(model, scheme, [prompt, prompt]), [prompt[-1], prompt[-1]])
    return max(distance(logits[0], alone[1][step][0]) for step, logits in enumerate(steps))


def _prefilled(model: Any, scheme: KvScheme, prompts: list[list[int]]) -> list[Any]:
    """Return caches of all but the last token, as a sequence has them when it joins."""
    layers = scheme.make_caches(model)
    tokens = mx.array(prompts)[:, :-1]
    if tokens.size:
        model(tokens, cache=layers)
    return layers


def _steps(model: Any, layers: list[Any], last: list[int]) -> list[mx.array]:
    """Decode as many steps as the probe has; returns the logits (B, V) of each."""
    inputs = [last, *[[_NEXT] * len(last)] * (len(_KEPT) - 1)]
    return [model(mx.array(tokens)[:, None], cache=layers)[:, -1, :] for tokens in inputs]


def distance(logits: mx.array, expected: mx.array) -> float:
    """Return how far two rows of logits are apart, as a share of the second's spread."""
    logits, expected = logits.astype(mx.float32), expected.astype(mx.float32)
    spread = mx.linalg.norm(expected - mx.mean(expected))
    return float(mx.linalg.norm(logits - expected) / spread)
