"""What the engine must know of mlx-lm's kinds of layer cache."""

from collections.abc import Sequence
from typing import Any

from mlx_lm.models.cache import CacheList, ChunkedKVCache, KVCache, QuantizedKVCache

from inference.engine.cache.quantized.decoded import DecodedCache

# Those that keep all tokens, in columns of which the last can be taken back.
_GROWING = (KVCache, QuantizedKVCache, DecodedCache)


def keeps_every_token(layers: Sequence[Any]) -> bool:
    """Tell whether any shorter prefix can be cut from these caches, whatever their length.

    A sliding window forgets what left it, and a recurrent state cannot be taken back.
    """
    return all(
        keeps_every_token(layer.caches)
        if isinstance(layer, CacheList)
        else isinstance(layer, _GROWING)
        for layer in layers
    )


def can_cut(layers: Sequence[Any]) -> bool:
    """Tell whether a shorter prefix can be cut from these caches as they are now."""
    return all(layer.is_trimmable() and not _has_forgotten(layer) for layer in layers)


def cut(layer: Any, count: int) -> None:
    """Take back the last `count` tokens of a cache that `can_cut`, and the room they took.

    Left as it is, that room would be copied with the rest by the first token written.
    """
    if isinstance(layer, CacheList):
        for part in layer.caches:
            cut(part, count)
        return
    layer.trim(count)
    if isinstance(layer, _GROWING):
        layer.keys, layer.values = layer.keys_and_values()


def _has_forgotten(layer: Any) -> bool:
    """Tell of a cache that calls itself trimmable whether tokens have left it at the front.

    `ChunkedKVCache` would trim what is left of it, and no more.
    """
    if isinstance(layer, CacheList):
        return any(_has_forgotten(part) for part in layer.caches)
    return isinstance(layer, ChunkedKVCache) and layer.start_position > 0
