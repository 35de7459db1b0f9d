"""The decoder layer of Llama and its kin, for one new token per row in fewer kernels.

Every operation of a step costs the host some microseconds, as much as a small model's
arithmetic. Norms and rotations of queries and keys become one kernel (block.cuh), an
addition and the norm that follows it another.
"""

import math
import sys
from typing import Any

import mlx.core as mx
from mlx.nn.layers.positional_encoding import RoPE

from inference.engine.cuda.kernel import bits, cuda_kernel
from inference.engine.cuda.step import StepLayer

# Modules of mlx-lm whose TransformerBlock computes what `_step` below does.
_KNOWN = frozenset({"mlx_lm.models.llama", "mlx_lm.models.qwen2", "mlx_lm.models.qwen3"})
_WIDEST = 8192  # 1024 threads with 8 numbers each

_ROTATE = """
  const int head = blockIdx.x * 4 + threadIdx.x / 32, row = blockIdx.y;
  const float position = lengths[row] * __int_as_float(SCALE);
  const float base = __int_as_float(LOG2_BASE), eps = __int_as_float(EPS);
  if (head < HEADS) {
    decode::rotate_head<D>(
        rotated_queries + ((size_t)row * HEADS + head) * D,
        queries + (size_t)row * queries_strides[0] + head * D, QUERY_WEIGHT, eps, position, base,
        threadIdx.x % 32);
  } else if (head < HEADS + KV_HEADS) {
    decode::rotate_head<D>(
        rotated_keys + ((size_t)row * KV_HEADS + head - HEADS) * D,
        keys + (size_t)row * keys_strides[0] + (head - HEADS) * D, KEY_WEIGHT, eps, position,
        base, threadIdx.x % 32);
  }
"""
_ADD = """
  const int width = x_shape[1];
  const size_t at = (size_t)blockIdx.x * width;
  decode::add_and_normalize(
      sum + at, normalized + at, x + at, y + at, weight, __int_as_float(EPS), width);
"""


def speed_up_blocks(model: Any) -> None:
    """Let the layers that we know run their steps in fewer kernels; in place."""
    known = [layer for layer in model.layers if _is_known(layer)]
    faster = {kind: _faster(kind) for kind in {type(layer) for layer in known}}
    for layer in known:
        layer.__class__ = faster[type(layer)]


def rotate(
    queries: mx.array, keys: mx.array, attention: Any, positions: mx.array
) -> tuple[mx.array, mx.array]:
    """Normalize, where the layer does, and rotate the heads of one new token per row.

    queries, keys: (B, 1, heads * D), D consecutive numbers a head; positions: (B,) int32.
    Returns (B, heads, 1, D) for both.
    """
    rope, rows = attention.rope, queries.shape[0]
    norms = attention.get("q_norm"), attention.get("k_norm")
    if not _is_for_kernel(queries):
        wide = []
        for array, norm in zip((queries, keys), norms, strict=True):
            heads = array.reshape(rows, 1, -1, rope.dims)
            heads = heads if norm is None else norm(heads)
            wide.append(rope(heads.transpose(0, 2, 1, 3), offset=positions))
        return wide[0], wide[1]
    heads, kv_heads = queries.shape[2] // rope.dims, keys.shape[2] // rope.dims
    inputs = {"queries": queries, "keys": keys, "lengths": positions}
    source, eps = _ROTATE, 0.0
    for name, norm in zip(("QUERY_WEIGHT", "KEY_WEIGHT"), norms, strict=True):
        source = source.replace(name, "nullptr" if norm is None else name.lower())
        if norm is not None:
            inputs[name.lower()], eps = norm.weight, norm.eps
    outputs = ("rotated_queries", "rotated_keys")
    kernel = cuda_kernel("rotate", "block", source, tuple(inputs), outputs, copies=False)
    rotated: list[mx.array] = kernel(
        inputs=list(inputs.values()),
        template=[
            ("D", rope.dims),
            ("HEADS", heads),
            ("KV_HEADS", kv_heads),
            ("SCALE", bits(rope.scale)),
            ("LOG2_BASE", bits(math.log2(rope.base))),
            ("EPS", bits(eps)),
        ],
        grid=(-(-(heads + kv_heads) // 4) * 128, rows, 1),
        threadgroup=(128, 1, 1),
        output_shapes=[(rows, heads, 1, rope.dims), (rows, kv_heads, 1, rope.dims)],
        output_dtypes=[mx.bfloat16] * 2,
    )
    return rotated[0], rotated[1]


def add_and_normalize(x: mx.array, y: mx.array, norm: Any) -> tuple[mx.array, mx.array]:
    """Return `x + y` and that normalized; all (B, 1, width)."""
    rows, _, width = x.shape
    if not _is_for_kernel(x) or width > _WIDEST or width % 8:
        return x + y, norm(x + y)
    names, outputs = ("x", "y", "weight"), ("sum", "normalized")
    threads = -(-width // 256) * 32
    both: list[mx.array] = cuda_kernel("add", "block", _ADD, names, outputs)(
        inputs=[x.reshape(rows, width), y.reshape(rows, width), norm.weight],
        template=[("EPS", bits(norm.eps))],
        grid=(rows * threads, 1, 1),
        threadgroup=(threads, 1, 1),
        output_shapes=[x.shape] * 2,
        output_dtypes=[mx.bfloat16] * 2,
    )
    return both[0], both[1]


def _is_known(layer: Any) -> bool:
    if type(layer).__name__ != "TransformerBlock" or type(layer).__module__ not in _KNOWN:
        return False
    attention = layer.self_attn
    rope = attention.rope
    return type(rope) is RoPE and not rope.traditional and attention.scale == rope.dims**-0.5


def _is_for_kernel(x: mx.array) -> bool:
    return mx.cuda.is_available() and x.dtype == mx.bfloat16


def _faster(original: Any) -> Any:
    """Return the class with steps of our own, which everything else does not notice."""

    def call(self: Any, x: mx.array, mask: Any = None, cache: Any = None) -> mx.array:
        if isinstance(cache, StepLayer):
            return _step(self, x, mask, cache)
        output: mx.array = original.__call__(self, x, mask, cache)
        return output

    return type(original.__name__, (original,), {"__call__": call})


def _step(layer: Any, x: mx.array, mask: Any, cache: StepLayer) -> mx.array:
    attention = layer.self_attn
    rows, normed = x.shape[0], layer.input_layernorm(x)
    queries, keys = attention.q_proj(normed), attention.k_proj(normed)
    values = attention.v_proj(normed)
    queries, keys = rotate(queries, keys, attention, cache.offset)
    values = values.reshape((*keys.shape[:3], -1))
    keys, values = cache.update_and_fetch(keys, values)
    # By the name that the model's module has for it, which is hooked.
    attend = vars(sys.modules[type(attention).__module__])["scaled_dot_product_attention"]
    output = attend(queries, keys, values, cache=cache, scale=attention.scale, mask=mask)
    attended = attention.o_proj(output.reshape(rows, 1, -1))
    h, normed = add_and_normalize(x, attended, layer.post_attention_layernorm)
    result: mx.array = h + layer.mlp(normed)
    return result
