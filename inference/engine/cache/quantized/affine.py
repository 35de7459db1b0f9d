"""Layer caches in affine codes, which attention reads as they are.

mlx-lm's attention computes with quantized products where a cache has `bits`. Its own class
holds one sequence; rows that decode together are ours.
"""

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.base import create_causal_mask
from mlx_lm.models.cache import QuantizedKVCache

from inference.engine.cache.quantized.codecs import Affine, Codes
from inference.engine.cache.quantized.columns import append, first, nbytes, stack


class AffineCache(QuantizedKVCache):  # type: ignore[misc] # mlx-lm has no types
    """mlx-lm's cache of one sequence, with all that the engine asks of caches."""

    def size(self) -> int:
        return int(self.offset)

    @property
    def nbytes(self) -> int:
        return nbytes(self.keys, self.values)

    @classmethod
    def merge(cls, caches: Sequence["AffineCache"]) -> "BatchAffineCache":
        """Put caches of one row each, of equal widths, into one of as many rows."""
        length = max(cache.offset for cache in caches)
        merged = BatchAffineCache(
            [length - cache.offset for cache in caches], caches[0].bits, caches[0].group_size
        )
        merged.fill([(x.keys, x.values, x.offset, 1) for x in caches], length)
        return merged


class BatchAffineCache:
    """What `AffineCache` is for one row, in the manner of mlx-lm's `BatchKVCache`.

    Rows are right-aligned, padded on the left.

    keys, values: codes (B, heads, room, *), the first `length` columns in use; None when empty.
    left_padding: (B,) columns ahead of each row's first token. offset: (B,) its tokens.
    """

    def __init__(self, left_padding: list[int], bits: int, group_size: int) -> None:
        self.bits, self.group_size = bits, group_size
        self.keys: Codes | None = None
        self.values: Codes | None = None
        self.left_padding = mx.array(left_padding)
        self.length = 0

    @property
    def offset(self) -> mx.array:
        return self.length - self.left_padding

    def update_and_fetch(self, keys: mx.array, values: mx.array) -> tuple[Codes, Codes]:
        """Add keys and values (B, heads, tokens, D); return the codes of all so far."""
        codec = Affine(self.bits, self.group_size)
        self.keys = append(self.keys, codec.encode(keys), self.length)
        self.values = append(self.values, codec.encode(values), self.length)
        self.length += keys.shape[2]
        return first(self.keys, self.length), first(self.values, self.length)

    def make_mask(self, tokens: int, return_array: bool = False, **kwargs: Any) -> mx.array:
        mask: mx.array = create_causal_mask(
            tokens, offset=self.length, left_padding=self.left_padding, **kwargs
        )
        return mask

    def fill(
        self, parts: Sequence[tuple[Codes | None, Codes | None, int, int]], length: int
    ) -> None:
        """Take over parts, each keys, values, columns in use and rows, as `length` columns."""
        if length:
            self.keys = stack([(keys, used, rows) for keys, _, used, rows in parts], length)
            self.values = stack([(values, used, rows) for _, values, used, rows in parts], length)
        self.length = length

    def extend(self, other: "BatchAffineCache") -> None:
        """Append the rows of another batch."""
        both, length = (self, other), max(self.length, other.length)
        parts = [(x.keys, x.values, x.length, x.left_padding.size) for x in both]
        padding = [x.left_padding + (length - x.length) for x in both]
        self.left_padding = mx.concatenate(padding)
        self.fill(parts, length)

    def filter(self, rows: mx.array) -> None:
        """Keep the rows named by index, without the padding that all of them have."""
        self.left_padding = self.left_padding[rows]
        padding: Any = self.left_padding.tolist()
        spare = min(padding)
        if self.keys is not None and self.values is not None:
            self.keys = tuple(array[rows][..., spare:, :] for array in self.keys)
            self.values = tuple(array[rows][..., spare:, :] for array in self.values)
        self.left_padding = self.left_padding - spare
        self.length -= spare

    def extract(self, row: int) -> AffineCache:
        """Copy one row out."""
        alone = AffineCache(group_size=self.group_size, bits=self.bits)
        padding: Any = self.left_padding.tolist()
        start = padding[row]
        if self.keys is not None and self.values is not None and start < self.length:
            columns = slice(start, self.length)
            alone.keys, alone.values = (
                tuple(mx.contiguous(array[row : row + 1, :, columns]) for array in codes)
                for codes in (self.keys, self.values)
            )
            alone.offset = self.length - start
        return alone

    def size(self) -> int:
        return self.length

    def empty(self) -> bool:
        return self.keys is None

    @property
    def nbytes(self) -> int:
        return nbytes(self.keys, self.values)

    @property
    def state(self) -> Any:
        return self.keys, self.values, self.left_padding
