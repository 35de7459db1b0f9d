"""Makes a loaded model decode faster on CUDA, if it still answers the same."""

import logging
import sys
from functools import partial
from typing import Any

import mlx.core as mx
from mlx_lm.models import base
from mlx_lm.models.cache import KVCache, make_prompt_cache

from inference.engine.cuda.block import speed_up_blocks
from inference.engine.cuda.linear import group_linears
from inference.engine.cuda.step import (
    STEPS_BEFORE_TRACE,
    StepModel,
    scaled_dot_product_attention,
)

logger = logging.getLogger(__name__)

# Rows and prompt tokens of the trial steps. Each row count uses other variants of the
# kernels, so the trial also compiles them all: 2,304 tokens are attended to in slices.
_TRIALS = ((1, 2304), (2, 6), (9, 6), (17, 6))
_STEPS = STEPS_BEFORE_TRACE + 2
_TOLERANCE = 0.1  # relative; bfloat16 alone differs by some 0.01


def accelerate(model: Any) -> Any:
    """Return what to call in place of `model`, an mlx-lm model in bfloat16 on CUDA.

    The weights of sibling layers are joined in place. A model whose steps this does not
    suit, or which then answers differently, is returned as it is otherwise.
    """
    if not all(type(cache) is KVCache for cache in make_prompt_cache(model)):
        logger.info("decode steps as mlx-lm has them: the model's caches are not plain")
        return model
    group_linears(model)
    speed_up_blocks(model)
    hook_attention(model)
    fast = StepModel(model)
    try:
        difference = max(_difference(model, fast, rows, length) for rows, length in _TRIALS)
    except Exception:
        logger.warning("decode steps as mlx-lm has them: ours fail", exc_info=True)
        return model
    mx.clear_cache()
    if not difference < _TOLERANCE:
        logger.warning("decode steps as mlx-lm has them: ours differ by %.2g", difference)
        return model
    logger.info("decode steps traced; they differ by %.2g from mlx-lm's", difference)
    return fast


def hook_attention(model: Any) -> None:
    """Let the modules of the model ask us first where they attend."""
    original: Any = base.scaled_dot_product_attention
    ours = partial(scaled_dot_product_attention, original)
    for source in {type(part).__module__ for _, part in model.named_modules()}:
        namespace = vars(sys.modules[source])
        if namespace.get("scaled_dot_product_attention") is original:
            namespace["scaled_dot_product_attention"] = ours


def _difference(model: Any, fast: Any, rows: int, length: int) -> float:
    """Return the relative distance of the last logits after some decode steps."""
    vocabulary = 200  # token ids that any model has
    tokens = mx.random.randint(0, vocabulary, (rows, length), key=mx.random.key(rows))
    ahead = mx.random.randint(0, vocabulary, (_STEPS, rows, 1), key=mx.random.key(length))
    answers = []
    for step in (model, fast):
        # As the engine has them: each row computed alone, then merged.
        alone = [make_prompt_cache(model) for _ in range(rows)]
        for row, cache in enumerate(alone):
            mx.eval(model(tokens[row : row + 1, row % 3 :], cache=cache))
        layers = (
            alone[0] if rows == 1 else [KVCache.merge(list(x)) for x in zip(*alone, strict=True)]
        )
        for index in range(_STEPS):
            logits = step(ahead[index], cache=layers)
            mx.eval(logits)
        answers.append(logits.astype(mx.float32))
    expected, answer = answers
    distance: Any = mx.linalg.norm(answer - expected) / mx.linalg.norm(expected)
    return float(distance)
