"""Decode steps of an mlx-lm model as one compiled function of fixed shapes.

Built anew for every token, a step's graph costs the host more than a small model costs the
GPU. Here the graph of a step is traced once for each number of rows and capacity of the
caches, and replayed: what changes between two steps, the position and the arrays, goes in
as arguments. mlx-lm's caches stay as they are between steps, so whoever holds them need
not know.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import mlx.core as mx
from mlx_lm.models.cache import BatchKVCache, KVCache

from inference.engine.cuda.attention import can_attend, decode_attention

_CAPACITY_STEP = 256  # tokens by which caches grow; each capacity is traced anew
# Tracing makes one step many times as long, so it waits until rows have stopped joining and
# leaving. A shape that comes again is traced already.
STEPS_BEFORE_TRACE = 32
_MAX_TRACES = 64


class Columns(NamedTuple):
    """Where rows lie in their caches, right-aligned; the same in all layers.

    starts: (B,) int32, the first column of a row.
    lengths: (B,) int32, its tokens so far: the position that its new token has.
    """

    starts: mx.array
    lengths: mx.array


Step = Callable[
    [mx.array, Columns, list[mx.array], list[mx.array]],
    tuple[mx.array, mx.array, list[mx.array], list[mx.array]],
]
# mlx keeps an array of up to 8 bytes in memory shared with the host; for a GPU that waits
# for one in every layer they are slow. So the arrays of Columns are cut from larger ones.
_PADDING = 3


class StepLayer:
    """Stands in for a layer's cache while a step is built.

    newest: (B, 1, 1, 1) int32, the column that each row's new token takes.
    mask: (B, 1, 1, capacity) bool, for attention other than ours; costs nothing unused.
    """

    def __init__(
        self, columns: Columns, newest: mx.array, mask: mx.array, keys: mx.array, values: mx.array
    ) -> None:
        self.columns, self.mask, self.keys, self.values = columns, mask, keys, values
        self.offset = columns.lengths
        self._newest = newest

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Write (B, heads, 1, D) into the newest column; return the caches as a whole."""
        self.keys = mx.put_along_axis(self.keys, self._newest, keys, axis=2)
        self.values = mx.put_along_axis(self.values, self._newest, values, axis=2)
        return self.keys, self.values

    def make_mask(
        self, length: int, return_array: bool = False, window_size: int | None = None
    ) -> mx.array:
        if length != 1 or window_size is not None:
            raise NotImplementedError("a step is one token a row, over all keys")
        return self.mask


class StepModel:
    """A model that runs decode steps compiled and everything else as before.

    Called like the model: `model(tokens (B, L), cache=layer caches) -> logits (B, L, V)`.
    Thread: engine only.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._traces: dict[tuple[int, int], Step] = {}  # by rows and capacity, oldest first
        self._shape = (0, 0)
        self._steps_of_shape = 0
        # What the step before left as the caches' offset, and the columns of the step after
        # it, which hold for as long as the caches still have that very object.
        self._offset: Any = None
        self._padded = Columns(mx.zeros(1), mx.zeros(1))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __call__(self, tokens: mx.array, cache: list[Any]) -> mx.array:
        if tokens.shape[1] == 1 and all(_is_plain(layer) for layer in cache):
            return self._decode(tokens, cache)
        logits: mx.array = self._model(tokens, cache=cache)
        return logits

    def _decode(self, tokens: mx.array, cache: list[Any]) -> mx.array:
        first = cache[0]
        position = first.size()
        for layer in cache:
            _reserve(layer, position + 1)
        if first.offset is not self._offset:
            self._padded = _padded_columns(first)
        step = self._step(tokens.shape[0], first.keys.shape[2])
        logits, lengths, keys, values = step(
            tokens, self._padded, [x.keys for x in cache], [x.values for x in cache]
        )
        self._padded = Columns(self._padded.starts, lengths)
        batched = type(first) is BatchKVCache
        offset = lengths[: tokens.shape[0]] if batched else position + 1
        for layer, new_keys, new_values in zip(cache, keys, values, strict=True):
            layer.keys, layer.values, layer.offset = new_keys, new_values, offset
            if batched:
                layer._idx += 1
        self._offset = offset
        return logits

    def _step(self, rows: int, capacity: int) -> Step:
        """Return the step for a shape, compiled if that pays."""
        shape = (rows, capacity)
        self._steps_of_shape = self._steps_of_shape + 1 if shape == self._shape else 1
        self._shape = shape
        trace = self._traces.pop(shape, None)
        if trace is None:
            if self._steps_of_shape < STEPS_BEFORE_TRACE:
                return self._build
            # A bound method of its own, with which its one trace goes.
            trace = mx.compile(self._build)
            if len(self._traces) == _MAX_TRACES:
                del self._traces[next(iter(self._traces))]
        self._traces[shape] = trace
        return trace

    def _build(
        self, tokens: mx.array, padded: Columns, keys: list[mx.array], values: list[mx.array]
    ) -> tuple[mx.array, mx.array, list[mx.array], list[mx.array]]:
        starts, lengths = padded
        rows = tokens.shape[0]
        columns = Columns(starts[:rows], lengths[:rows])
        newest = (starts + lengths)[:rows].reshape(rows, 1, 1, 1)
        places = mx.arange(keys[0].shape[2], dtype=mx.int32)
        mask = (places >= columns.starts[:, None, None, None]) & (places <= newest)
        layers = [StepLayer(columns, newest, mask, k, v) for k, v in zip(keys, values, strict=True)]
        logits = self._model(tokens, cache=layers)
        return logits, lengths + 1, [x.keys for x in layers], [x.values for x in layers]


def _padded_columns(cache: Any) -> Columns:
    rows = cache.keys.shape[0]
    padding = mx.zeros(rows + _PADDING, dtype=mx.int32)
    if type(cache) is KVCache:
        return Columns(padding, padding + cache.offset)
    return Columns(
        mx.concatenate([cache.left_padding, padding[rows:]]),
        mx.concatenate([cache.offset, padding[rows:]]),
    )


def _is_plain(cache: Any) -> bool:
    return type(cache) in (KVCache, BatchKVCache) and cache.keys is not None


def _reserve(cache: Any, length: int) -> None:
    """Make room for `length` tokens, in one of few capacities."""
    capacity = cache.keys.shape[2]
    if length <= capacity and capacity % _CAPACITY_STEP == 0:
        return
    wanted = -(-length // _CAPACITY_STEP) * _CAPACITY_STEP

    def grown(array: mx.array) -> mx.array:
        rows, heads, _, dim = array.shape
        room = mx.zeros((rows, heads, wanted - length + 1, dim), dtype=array.dtype)
        return mx.concatenate([array[..., : length - 1, :], room], axis=2)

    cache.keys, cache.values = grown(cache.keys), grown(cache.values)


def scaled_dot_product_attention(
    original: Callable[..., mx.array],
    queries: mx.array,
    keys: mx.array,
    values: mx.array,
    cache: Any,
    *,
    scale: float,
    mask: mx.array | str | None,
    sinks: mx.array | None = None,
) -> mx.array:
    """Attend with our kernel where it applies, else with `original`, mlx-lm's function."""
    if (
        isinstance(cache, StepLayer)
        and mask is cache.mask
        and keys is cache.keys
        and values is cache.values
        and sinks is None
        and can_attend(queries, keys, values)
    ):
        starts, lengths = cache.columns
        return decode_attention(queries, keys, values, starts=starts, lengths=lengths, scale=scale)
    return original(queries, keys, values, cache=cache, scale=scale, mask=mask, sinks=sinks)
