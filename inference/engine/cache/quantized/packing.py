"""Codes of a few bits, packed without gaps.

Code i of a vector takes the bits from i * bits on, the lowest first, in a row of
little-endian 32-bit words. That is the order of MLX's own quantized weights, so that its
kernels unpack.
"""

import mlx.core as mx

_WORD = 32
_GROUP = 64  # numbers that share a scale, as far as MLX's kernel is concerned


def pack(codes: mx.array, bits: int) -> mx.array:
    """Pack codes (..., n) below 2**bits into uint32 words (..., n * bits / 32).

    n is a multiple of 32.
    """
    *rows, count = codes.shape
    places = mx.arange(bits, dtype=mx.uint32)
    stream = (codes.astype(mx.uint32)[..., None] >> places) & 1
    words = stream.reshape(*rows, count * bits // _WORD, _WORD)
    return mx.sum(words << mx.arange(_WORD, dtype=mx.uint32), axis=-1)


def unpack(words: mx.array, bits: int) -> mx.array:
    """Return the codes (..., n) of packed words, as uint8; n is a multiple of 64."""
    *rows, count = words.shape
    groups = (*rows, count * _WORD // bits // _GROUP)
    # With a scale of one and a bias of zero, MLX's numbers are the codes themselves.
    numbers = mx.dequantize(
        words,
        mx.ones(groups, dtype=mx.float32),
        mx.zeros(groups, dtype=mx.float32),
        group_size=_GROUP,
        bits=bits,
    )
    return numbers.astype(mx.uint8)
