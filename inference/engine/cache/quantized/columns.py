"""Tuples of arrays (B, heads, room, *) that hold a column for each token."""

from collections.abc import Sequence

import mlx.core as mx

from inference.engine.cache.quantized.codecs import Codes

_STEP = 256  # tokens by which room is added, as in mlx-lm's caches


def append(held: Codes | None, new: Codes, length: int) -> Codes:
    """Write `new` behind the first `length` columns of `held`.

    Into the arrays held if they have room, else into larger ones; returns those.
    """
    added = new[0].shape[2]
    if held is None or held[0].shape[2] < length + added:
        room = -(-added // _STEP) * _STEP
        empty = tuple(_zeros(array, array.shape[0], room) for array in new)
        if held is None:
            held = empty
        else:
            pairs = zip(first(held, length), empty, strict=True)
            held = tuple(mx.concatenate([kept, more], axis=2) for kept, more in pairs)
    for array, columns in zip(held, new, strict=True):
        array[..., length : length + added, :] = columns
    return held


def first(held: Codes, length: int) -> Codes:
    """Return the first `length` columns."""
    return tuple(array[..., :length, :] for array in held)


def stack(parts: Sequence[tuple[Codes | None, int, int]], length: int) -> Codes:
    """Put parts below one another, right-aligned in `length` columns.

    A part: its arrays, None if it has no columns; columns in use; rows. One has some at least.
    """
    sample = next(codes for codes, *_ in parts if codes is not None)
    stacked = []
    for index, like in enumerate(sample):
        blocks = []
        for codes, used, rows in parts:
            blocks.append(_zeros(like, rows, length))
            if codes is not None:
                blocks[-1][:, :, length - used :] = codes[index][..., :used, :]
        stacked.append(mx.concatenate(blocks))
    return tuple(stacked)


def nbytes(*parts: Codes | None) -> int:
    """Return the bytes that arrays take, room included."""
    return sum(array.nbytes for codes in parts for array in codes or ())


def _zeros(like: mx.array, rows: int, columns: int) -> mx.array:
    _, heads, _, width = like.shape
    return mx.zeros((rows, heads, columns, width), dtype=like.dtype)
