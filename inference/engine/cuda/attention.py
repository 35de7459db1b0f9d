"""Attention of one new token per row, as a CUDA kernel of our own.

mlx's own attention leaves its fused kernels when it is given a padding mask: with 64 rows
of 600 keys it takes seventeen times as long as the bytes need. This kernel (attention.cuh)
takes where each row begins instead of a mask.
"""

import math
from typing import Any

import mlx.core as mx

from inference.engine.cuda.kernel import bits, cuda_kernel

_HEAD_DIMS = frozenset({64, 80, 96, 112, 128, 160, 192, 256})
# Query heads of one KV head: two tiles of the tensor cores, one where heads are wide.
_MAX_GROUP, _MAX_GROUP_WIDE = 16, 8
# A grid this large fills any of today's GPUs; a smaller one is cut along the keys where they
# are many, at the price of one more kernel.
_ENOUGH_BLOCKS = 128
_KEYS_OF_A_SLICE = 1024

_ATTEND = """
  __shared__ decode::Shared<D, G, WARPS> shared;
  const int begin = starts[blockIdx.z], end = begin + lengths[blockIdx.z] + 1;
  decode::attend<D, G, WARPS, AHEAD>(
      shared, queries, keys, values, keys_shape[2], begin, end, __int_as_float(SCALE));
  const size_t head = ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * G;
"""
_WHOLE = """
  for (int i = threadIdx.x; i < G * D; i += 32 * WARPS) {
    out[head * D + i] = __float2bfloat16(shared.sums[i] / shared.totals[i / D]);
  }
"""
_SLICE = """
  for (int i = threadIdx.x; i < G * D; i += 32 * WARPS) {
    sums[((head + i / D) * gridDim.x + blockIdx.x) * D + i % D] = shared.sums[i];
  }
  for (int i = threadIdx.x; i < G; i += 32 * WARPS) {
    const size_t at = (head + i) * gridDim.x + blockIdx.x;
    maxima[at] = shared.maxima[i];
    totals[at] = shared.totals[i];
  }
"""
_COMBINE = """
  const int slices = maxima_shape[1];
  const size_t first = (size_t)blockIdx.x * slices;
  float maximum = decode::minus_infinity();
  for (int i = 0; i < slices; ++i) {
    maximum = fmaxf(maximum, maxima[first + i]);
  }
  float sum = 0.0f, total = 0.0f;
  for (int i = 0; i < slices; ++i) {
    const float factor = decode::relative(maxima[first + i], maximum);
    total += totals[first + i] * factor;
    sum += sums[(first + i) * D + threadIdx.x] * factor;
  }
  out[(size_t)blockIdx.x * D + threadIdx.x] = __float2bfloat16(sum / total);
"""
_INPUTS = ("queries", "keys", "values", "starts", "lengths")
_PARTS = ("sums", "maxima", "totals")


def can_attend(queries: mx.array, keys: mx.array, values: mx.array) -> bool:
    """Tell whether the kernel takes these arrays."""
    group, rest = divmod(queries.shape[1], keys.shape[1])
    return (
        mx.cuda.is_available()
        and queries.shape[2] == 1
        and queries.dtype == keys.dtype == values.dtype == mx.bfloat16
        and keys.shape == values.shape
        and queries.shape[3] == keys.shape[3] in _HEAD_DIMS
        and rest == 0
        and group <= (_MAX_GROUP if keys.shape[3] <= 128 else _MAX_GROUP_WIDE)
    )


def decode_attention(
    queries: mx.array,
    keys: mx.array,
    values: mx.array,
    *,
    starts: mx.array,
    lengths: mx.array,
    scale: float,
) -> mx.array:
    """Attend with one query per row and head to the row's keys, its newest one included.

    queries: (B, heads, 1, D) bfloat16; keys, values: (B, KV heads, capacity, D).
    starts, lengths: (B,) int32, the column of a row's first key, and how many come before
        the newest.
    Returns (B, heads, 1, D) bfloat16.
    """
    rows, heads, _, dim = queries.shape
    kv_heads, capacity = keys.shape[1:3]
    group = heads // kv_heads
    slices, warps, ahead = _shape(rows * kv_heads, capacity, dim)
    launch: dict[str, Any] = {
        "inputs": [queries, keys, values, starts, lengths],
        "template": [
            ("D", dim),
            ("G", group),
            ("WARPS", warps),
            ("AHEAD", ahead),
            # For scores in units of log 2.
            ("SCALE", bits(scale * math.log2(math.e))),
        ],
        "grid": (slices * warps * 32, kv_heads, rows),
        "threadgroup": (warps * 32, 1, 1),
    }
    if slices == 1:
        kernel = cuda_kernel("whole", "attention", _ATTEND + _WHOLE, _INPUTS, ("out",))
        whole: list[mx.array] = kernel(
            output_shapes=[queries.shape], output_dtypes=[mx.bfloat16], **launch
        )
        return whole[0]
    kernel = cuda_kernel("slice", "attention", _ATTEND + _SLICE, _INPUTS, _PARTS)
    parts = kernel(
        output_shapes=[(rows * heads, slices, dim), *[(rows * heads, slices)] * 2],
        output_dtypes=[mx.float32] * 3,
        **launch,
    )
    combined: list[mx.array] = cuda_kernel("combine", "attention", _COMBINE, _PARTS, ("out",))(
        inputs=parts,
        template=[("D", dim)],
        grid=(rows * heads * dim, 1, 1),
        threadgroup=(dim, 1, 1),
        output_shapes=[queries.shape],
        output_dtypes=[mx.bfloat16],
    )
    return combined[0]


def _shape(blocks: int, capacity: int, dim: int) -> tuple[int, int, int]:
    """Return the slices of the keys, the warps of a block, and the tiles a warp has ahead.

    Where blocks fill the GPU, others run while one waits. Where they do not, each needs more
    on the way at once, as far as its registers hold it.
    """
    if blocks >= _ENOUGH_BLOCKS:
        return 1, 4, 1
    slices = max(1, min(capacity // _KEYS_OF_A_SLICE, math.ceil(2 * _ENOUGH_BLOCKS / blocks)))
    return (slices, 8, 2) if dim <= 128 else (slices, 4, 1)
