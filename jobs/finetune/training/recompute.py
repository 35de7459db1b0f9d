"""Trades time for memory: parts of a model that are computed a second time going backwards.

Blocks alone or several together (`grad_checkpoint`, `segment_size`), and MLPs a stretch of tokens
at a time (`mlp_split`). A part is given another class, one object at a time, so that its weights
keep their paths and other models of the same kind are left alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map

from jobs.finetune.config import FinetuneConfig, InvalidField
from jobs.finetune.training.likeness import ROUNDED, is_alike

STRETCH_TOKENS = 256
_MLP_NAMES = ("mlp", "feed_forward", "block_sparse_moe")
_PROBE = mx.arange(STRETCH_TOKENS + 8)[None] % 7

Call = Callable[..., Any]


def save_memory(model: Any, config: FinetuneConfig) -> None:
    """Apply what the configuration asks for; raises InvalidField where the model does not allow it.

    Its outputs stay the same, which is checked.
    """
    for name, apply in _asked(config):
        model.eval()
        before = model(_PROBE)
        mx.eval(before)
        if not apply(model) or not _is_same(model, before):
            remedy = "Use grad_checkpoint alone." if name == "segment_size" else "Leave it out."
            allowed = "off, for this kind of model"
            raise InvalidField(name, getattr(config, name), allowed, remedy)
        model.train()


def _asked(config: FinetuneConfig) -> Iterator[tuple[str, Callable[[Any], bool]]]:
    """Names of fields, and what applies them; that returns whether the model has such parts."""
    replay = needs_replay(config)
    if config.mlp_split:
        yield "mlp_split", partial(_split_mlps, replay=replay)
    if config.segment_size > 1:
        yield "segment_size", partial(_recompute_segments, size=config.segment_size, replay=replay)
    elif config.grad_checkpoint or config.segment_size:
        name = "grad_checkpoint" if config.grad_checkpoint else "segment_size"
        yield name, partial(_recompute_blocks, replay=replay)


def _is_same(model: Any, before: mx.array) -> bool:
    try:
        return is_alike(model(_PROBE), before, within=ROUNDED)
    except (TypeError, ValueError, AttributeError):
        return False  # blocks or MLPs take or return more than states


def recompute(
    modules: Sequence[Any], call: Call, args: Any, kwargs: Any, *, replay: bool = False
) -> Any:
    """Return `call(*args, **kwargs)`, which uses `modules`, keeping nothing of what happens inside.

    A checkpoint asks for a gradient of every array it is given, so it is given floats only.
    replay: draw the same random numbers the second time; see `needs_replay`.
    """
    given: list[mx.array] = []

    def take(leaf: Any) -> Any:
        if not isinstance(leaf, mx.array) or not mx.issubdtype(leaf.dtype, mx.floating):
            return leaf
        given.append(leaf)
        return _Slot(len(given) - 1)

    slots = tree_map(take, [list(args), kwargs])
    seed = _draw_seed() if replay else None

    def inside(parameters: Any, floats: list[mx.array]) -> Any:
        for module, own in zip(modules, parameters, strict=True):
            module.update(own)
        if seed is not None:
            mx.random.seed(seed)
        filled = tree_map(lambda leaf: floats[leaf.index] if type(leaf) is _Slot else leaf, slots)
        return call(*filled[0], **filled[1])

    return mx.checkpoint(inside)([module.trainable_parameters() for module in modules], given)


def needs_replay(config: FinetuneConfig) -> bool:
    """Whether dropout has to leave out the same the second time, which no compiled step can do.

    mlx's random state can be seeded and not restored, so the seed must be a number.
    """
    return config.recomputes and config.lora_dropout > 0


def _draw_seed() -> int:
    seed: Any = mx.random.randint(0, 2**31 - 1).item()
    return int(seed)


@dataclass(frozen=True, slots=True)
class _Slot:
    """The place of an array that is handed in."""

    index: int


def _recomputed(replay: bool, original: Call, block: Any, *args: Any, **kwargs: Any) -> Any:
    return recompute([block], partial(original, block), args, kwargs, replay=replay)


def _recompute_blocks(model: Any, *, replay: bool) -> bool:
    for block in model.layers:
        _replace_call(block, partial(_recomputed, replay))
    return True


def _recompute_segments(model: Any, *, size: int, replay: bool) -> bool:
    blocks = list(model.layers)
    for first in range(0, len(blocks), size):
        segment = _Segment(blocks[first : first + size], replay)
        for block in segment.blocks:
            _replace_call(block, segment.call)
    return True


class _Segment:
    """Blocks that run as one, when the last of them is called."""

    def __init__(self, blocks: Sequence[Any], replay: bool) -> None:
        self.blocks = blocks
        self._replay = replay
        self._waiting: list[tuple[Call, tuple[Any, ...], dict[str, Any]]] = []

    def call(self, original: Call, block: Any, states: Any, *args: Any, **kwargs: Any) -> Any:
        if block is self.blocks[0]:
            self._waiting = []
        self._waiting.append((original, args, kwargs))
        if block is not self.blocks[-1]:
            return states
        calls = [waiting[0] for waiting in self._waiting]
        given = [[list(args), kwargs] for _, args, kwargs in self._waiting]

        def run(states: Any, given: Any) -> Any:
            for each, part, (rest, named) in zip(calls, self.blocks, given, strict=True):
                states = each(part, states, *rest, **named)
            return states

        return recompute(self.blocks, run, (states, given), {}, replay=self._replay)


def _split_mlps(model: Any, *, replay: bool) -> bool:
    mlps = [block[name] for block in model.layers for name in _MLP_NAMES if name in block]
    for mlp in mlps:
        _replace_call(mlp, partial(_in_stretches, replay))
    return bool(mlps)


def _in_stretches(replay: bool, original: Call, mlp: Any, states: mx.array) -> mx.array:
    run = partial(original, mlp)
    parts = [
        recompute([mlp], run, (states[:, first : first + STRETCH_TOKENS],), {}, replay=replay)
        for first in range(0, states.shape[1], STRETCH_TOKENS)
    ]
    return mx.concatenate(parts, axis=1)


def _replace_call(module: Any, call: Call) -> None:
    """Let `call(original, module, ...)` answer when the module is called."""
    original = type(module).__call__

    def replaced(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(original, self, *args, **kwargs)

    module.__class__ = type(type(module).__name__, (type(module),), {"__call__": replaced})
