"""How a served model keeps its keys and values: one scheme for every request.

Whoever needs layer caches of the served model asks the scheme for them. Its name tells
caches kept elsewhere, by this process or an earlier one, from those of other schemes.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from mlx_lm.models.cache import make_prompt_cache

from hub.fit import affine_element_bytes
from inference.engine.cache.quantized.affine import AffineCache
from inference.engine.cache.quantized.decoded import DecodedAffineCache, TurboCache


@dataclass(frozen=True, slots=True)
class LayerFormat:
    """How one layer keeps its keys and values.

    name: as the statistics count layers.
    make: returns an empty cache; None leaves the layer the one that its model makes.
    bits, group_size: of affine codes, whose scale and bias are numbers as the model computes
        with; 0 for what is billed as if it were not quantized.
    """

    name: str
    make: Callable[[], Any] | None = None
    bits: int = 0
    group_size: int = 0

    def element_bytes(self, number_bytes: float) -> float:
        """Bytes billed for one number of a key or a value, if unquantized it takes so many."""
        if not self.bits:
            return number_bytes
        return affine_element_bytes(self.bits, self.group_size, number_bytes)


PLAIN = LayerFormat("bf16")  # whatever floating type that is on the device
STATE = LayerFormat("state")  # no keys and values at all


def affine(bits: int, group_size: int, *, decoded: bool = False) -> LayerFormat:
    """Affine codes; decoded: for attention that cannot read them."""
    make: Callable[[], Any] = (
        partial(DecodedAffineCache, bits, group_size)
        if decoded
        else partial(AffineCache, group_size=group_size, bits=bits)
    )
    return LayerFormat(f"kv{bits}", make, bits, group_size)


def turbo(key_bits: int, value_bits: int) -> LayerFormat:
    """Affine keys, rotated values; billed as if they were not quantized."""
    return LayerFormat(f"turbo-k{key_bits}v{value_bits}", partial(TurboCache, key_bits, value_bits))


@dataclass(frozen=True, slots=True)
class KvScheme:
    """Thread: `make_caches` on the engine's only.

    name: `bf16`, `kv4`, `kv8`, `config` or `turbo-kKvV`.
    mode: the same in the words of the statistics.
    batches: whether rows may share steps as far as the scheme goes; the model's own caches
        and attention may forbid it still.
    formats: of each cache that the model makes, in that order; empty leaves all as they are.
    """

    name: str
    mode: str
    batches: bool
    formats: tuple[LayerFormat, ...] = ()

    def make_caches(self, model: Any) -> list[Any]:
        """Return the empty layer caches of one sequence, in the order of the model's layers."""
        caches: list[Any] = make_prompt_cache(model)
        if not self.formats:
            return caches
        pairs = zip(caches, self.formats, strict=True)
        return [layer.make() if layer.make else cache for cache, layer in pairs]

    @property
    def layer_formats(self) -> list[str]:
        """What each cache is made of: of equal ones, one can go on where another ended."""
        return [f"{layer.name}, groups of {layer.group_size}" for layer in self.formats]

    @property
    def layer_counts(self) -> dict[str, int]:
        """Layers with keys and values by the name of their format; empty if not looked at."""
        return dict(Counter(layer.name for layer in self.formats if layer is not STATE))

    def element_bytes(self, number_bytes: float) -> tuple[float, ...]:
        """Bytes billed for one number, for each layer with keys and values."""
        return tuple(
            layer.element_bytes(number_bytes) for layer in self.formats if layer is not STATE
        )


BF16 = KvScheme("bf16", "bf16", batches=True)
