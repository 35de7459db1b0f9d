"""What the engine must know of mlx-lm's kinds of layer cache."""

from typing import Any

from mlx_lm.models.cache import CacheList, KVCache, QuantizedKVCache


def keeps_every_token(layers: list[Any]) -> bool:
    """Tell whether any shorter prefix can be cut from these caches, whatever their length.

    A sliding window forgets what left it, and a recurrent state cannot be taken back.
    """
    return all(
        keeps_every_token(list(layer.caches))
        if isinstance(layer, CacheList)
        else isinstance(layer, KVCache | QuantizedKVCache)
        for layer in layers
    )
