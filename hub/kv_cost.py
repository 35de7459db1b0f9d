"""What a sequence's keys and values take in memory, by its length.

Sizes are in bytes, lengths in tokens. Nothing here is rounded to what caches allocate ahead.
"""

import math
from dataclasses import dataclass

from hub.shape import ModelShape

STATE_BYTES, CONV_BYTES = 4, 2  # a linear layer's state is float32, its convolution bf16

ElementBytes = float | tuple[float, ...]
"""Bytes of one number in the KV cache: of every attention layer alike, or of each."""


@dataclass(frozen=True, slots=True)
class KvCost:
    """full: what each token adds. sliding: what it adds besides, up to `window` tokens.

    fixed: what a sequence takes whatever its length.
    """

    full: float = 0.0
    sliding: float = 0.0
    window: int | None = None
    fixed: int = 0

    def of(self, tokens: int) -> int:
        """Bytes that one sequence of so many tokens keeps."""
        kept = tokens if self.window is None else min(tokens, self.window)
        return math.ceil(self.full * tokens + self.sliding * kept) + self.fixed

    def longest(self, nbytes: int) -> float:
        """How many tokens fit in so many bytes; infinity where tokens take none."""
        room = nbytes - self.fixed
        if room <= 0:
            return 0.0
        window = math.inf if self.window is None else self.window
        each = self.full + self.sliding
        longest = room / each if each else math.inf
        if longest > window:
            # The sliding layers are full by now: only full attention still grows.
            return (room - self.sliding * window) / self.full if self.full else math.inf
        return longest


FREE = KvCost()  # of what keeps nothing, such as a scripted model


def kv_cost(shape: ModelShape, element_bytes: ElementBytes) -> KvCost:
    """Say what a sequence of this model takes, with numbers of so many bytes in its cache."""
    layers = shape.attention
    sizes = element_bytes if isinstance(element_bytes, tuple) else (element_bytes,) * len(layers)
    taken = [
        (layer.sliding, layer.elements * size) for layer, size in zip(layers, sizes, strict=True)
    ]
    return KvCost(
        full=sum(nbytes for sliding, nbytes in taken if not sliding),
        sliding=sum(nbytes for sliding, nbytes in taken if sliding),
        window=shape.window,
        fixed=state_bytes(shape),
    )


def state_bytes(shape: ModelShape) -> int:
    """Bytes of the linear layers' states, the same for every context."""
    total = 0
    for layer in shape.linear:
        values = layer.value_heads * layer.value_head_dim
        keys = layer.key_heads * layer.key_head_dim
        total += values * layer.key_head_dim * STATE_BYTES
        total += (layer.conv_kernel - 1) * (2 * keys + values) * CONV_BYTES
    return total
