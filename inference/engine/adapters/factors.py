"""Makes arrays of an adapter's factors."""

from typing import Any

import mlx.core as mx
import numpy as np

from inference.adapters.errors import BadAdapter
from inference.adapters.folder import Adapter, Factor, LayerFactors
from inference.engine.adapters.layers import Factors

# By the format's word: how numpy reads it, which knows no bfloat16, and what it is.
_TYPES: dict[str, tuple[str, mx.Dtype]] = {
    "F32": ("<f4", mx.float32),
    "F16": ("<f2", mx.float16),
    "BF16": ("<u2", mx.bfloat16),
}


def make_factors(adapter: Adapter, compute: mx.Dtype) -> dict[str, Factors]:
    """Return the factors of all layers, evaluated. Thread: engine only.

    compute: the type of the model's activations; where an adapter's own is another, its
        factors are float32, which is what a product of the two would be.
    Raises BadAdapter for weights that are not finite, once the scale is in them.
    """
    scale = adapter.config.scale
    made = {path: _factors(layer, scale, compute) for path, layer in adapter.layers.items()}
    finite = [mx.isfinite(part).all() for factors in made.values() for part in factors]
    if finite:
        flags: Any = mx.stack(finite).tolist()
        if not all(flags):
            path = list(made)[flags.index(False) // 2]
            raise BadAdapter(f"its weights of {path} are not all finite numbers")
    return made


def _factors(layer: LayerFactors, scale: float, compute: mx.Dtype) -> Factors:
    a, b = _array(layer.a, compute), _array(layer.b, compute)
    if layer.flipped:
        a, b = mx.contiguous(a.swapaxes(-1, -2)), mx.contiguous(b.swapaxes(-1, -2))
    return Factors(a, b * scale)


def _array(factor: Factor, compute: mx.Dtype) -> mx.array:
    as_numpy, dtype = _TYPES[factor.dtype]
    array = mx.array(np.frombuffer(factor.data, as_numpy).reshape(factor.shape)).view(dtype)
    return array if dtype == compute else array.astype(mx.float32)
