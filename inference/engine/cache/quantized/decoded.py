"""Layer caches in codes that are decoded whenever attention asks.

Any attention can read them, at the price of decoding all tokens so far in each step.
"""

from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import create_attention_mask

from inference.engine.cache.quantized.codecs import Affine, Codec, Codes, Rotated
from inference.engine.cache.quantized.columns import append, first, nbytes

_TURBO_GROUP = 64


class DecodedCache:
    """One sequence's keys and values; of mlx-lm's kind, as the engine and models use it.

    widths: the numbers that a subclass makes its codecs of.
    keys, values: codes (B, heads, room, *), the first `offset` columns in use; None when empty.
    """

    def __init__(self, *widths: int) -> None:
        self.widths = widths
        self.keys: Codes | None = None
        self.values: Codes | None = None
        self.offset = 0

    @property
    def codecs(self) -> tuple[Codec, Codec]:
        """Return what codes keys and what codes values."""
        raise NotImplementedError

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[mx.array, mx.array]:
        """Add keys and values (B, heads, tokens, D); return all of them so far, decoded."""
        for_keys, for_values = self.codecs
        self.keys = append(self.keys, for_keys.encode(keys), self.offset)
        self.values = append(self.values, for_values.encode(values), self.offset)
        self.offset += keys.shape[2]
        key_codes, value_codes = self.keys_and_values()
        return for_keys.decode(key_codes), for_values.decode(value_codes)

    def keys_and_values(self) -> tuple[Codes, Codes]:
        """Return the codes of the tokens so far, of which there is one at least."""
        assert self.keys is not None and self.values is not None
        return first(self.keys, self.offset), first(self.values, self.offset)

    def make_mask(
        self, tokens: int, return_array: bool = False, window_size: int | None = None
    ) -> Any:
        return create_attention_mask(tokens, self.offset, return_array, window_size)

    def is_trimmable(self) -> bool:
        return True

    def trim(self, count: int) -> int:
        """Take back the last `count` tokens, or all; returns how many."""
        count = min(self.offset, count)
        self.offset -= count
        return count

    def size(self) -> int:
        return self.offset

    def empty(self) -> bool:
        return self.keys is None

    @property
    def nbytes(self) -> int:
        return nbytes(self.keys, self.values)

    @property
    def state(self) -> Any:
        return self.keys, self.values, self.offset, self.widths

    @state.setter
    def state(self, value: Any) -> None:
        self.keys, self.values, self.offset, self.widths = value

    @classmethod
    def from_state(cls, state: Any) -> "DecodedCache":
        cache = cls()
        cache.state = state
        return cache


class DecodedAffineCache(DecodedCache):
    """Affine codes, for attention that cannot read them. widths: bits, group size."""

    @property
    def codecs(self) -> tuple[Codec, Codec]:
        bits, group_size = self.widths
        codec = Affine(bits, group_size)
        return codec, codec


class TurboCache(DecodedCache):
    """Keys in affine codes, values rotated ones. widths: bits of keys, bits of values."""

    @property
    def codecs(self) -> tuple[Codec, Codec]:
        key_bits, value_bits = self.widths
        return Affine(key_bits, _TURBO_GROUP), Rotated(value_bits)
