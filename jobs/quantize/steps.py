"""What is done to each piece of a model between reading and using it.

A step changes a piece in place and computes nothing yet: MLX is lazy.
"""

from collections.abc import Callable, Mapping
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx_lm.models.mla import MultiLinear, QuantizedMultiLinear
from mlx_lm.utils import dequantize_model

from jobs.quantize.checkpoint import Piece
from jobs.quantize.errors import QuantizeError
from jobs.quantize.plan import Plan

Step = Callable[[Piece], None]
CastPredicate = Callable[[str], bool]


def dequantize(piece: Piece) -> None:
    """Make packed weights dense, in the type of their scales; raises QuantizeError if it cannot."""
    for name, module in piece.modules():
        if "global_scale" in module:
            raise QuantizeError(f"{name} is nvfp4 with a global scale, which cannot be undone")
    piece.replace([(name, _dense(module)) for name, module in piece.modules() if _packed(module)])
    if left := next((name for name, module in piece.modules() if _packed(module)), None):
        raise QuantizeError(f"{left} is quantized in a way that cannot be undone")


def cast(dtype: mx.Dtype, may_cast: CastPredicate = lambda _name: True) -> Step:
    """Return a step that gives all floating arrays a type, but those that `may_cast` spares."""

    def step(piece: Piece) -> None:
        piece.assign(
            (name, array.astype(dtype))
            for name, array in piece.parameters()
            if mx.issubdtype(array.dtype, mx.floating) and may_cast(name)
        )

    return step


def quantize(plan: Plan) -> Step:
    """Return a step that packs the modules of the plan."""

    def step(piece: Piece) -> None:
        piece.replace(
            (name, module.to_quantized(group_size=width.group_size, bits=width.bits))
            for name, module in piece.modules()
            if (width := plan.get(name))
        )

    return step


def _packed(module: Mapping[str, Any]) -> bool:
    return "scales" in module


def _dense(module: Any) -> Any:
    if not isinstance(module, QuantizedMultiLinear):
        holder = Module()
        holder.only = module
        return dequantize_model(holder).only
    weight = mx.dequantize(
        module.weight, module.scales, module.biases, module.group_size, module.bits, module.mode
    )
    heads, outputs, inputs = weight.shape
    dense = MultiLinear(inputs, outputs, heads)
    dense.weight = weight
    return dense
