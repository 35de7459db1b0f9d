"""Linear layers for decode steps: siblings as one product, few rows by a kernel of our own.

mlx hands a product of 2 rows and more to cuBLAS, whose heuristics cost the host some 14 us
each time, three times what the kernel (linear.cuh) costs. Layers that read the same input
become one product: a third or half the launches.
"""

import itertools
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.nn.layers.linear import Linear

from inference.engine.cuda.kernel import cuda_kernel

# Layers that mlx-lm's models apply to one and the same array, in the order of the calls.
_SIBLINGS = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
_MAX_ROWS = 16
# Warps on the whole GPU that keep enough bytes on the way.
_ENOUGH_WARPS = 4096

_SOURCE = """
  __shared__ decode::Product<TILES, BANDS, WARPS> product;
  const int rows = x_shape[0], width = weight_shape[1], height = weight_shape[0];
  product.compute(x, weight, rows, height, width);
  for (int i = threadIdx.x; i < 16 * BANDS * rows; i += 32 * WARPS) {
    const int row = i / (16 * BANDS), local = i % (16 * BANDS);
    const int column = blockIdx.x * 16 * BANDS + local;
    if (column < height) {
      const float sum = product.sum(local, row) + ADDED;
      WRITE
    }
  }
"""
_OUTPUTS = ("out0", "out1", "out2")


def multiply_few(
    x: mx.array, weight: mx.array, bias: mx.array | None, sizes: tuple[int, ...]
) -> list[mx.array]:
    """Return `x @ weight.T + bias` for few rows, cut into arrays of `sizes` columns.

    x: (rows, width) bfloat16, at most 16 rows, width a multiple of 32; weight: (height, width).
    """
    rows, height = x.shape[0], weight.shape[0]
    bands = 2 if height >= 16384 else 1
    blocks = -(-height // (16 * bands))
    warps = 8 if 8 * blocks >= _ENOUGH_WARPS else 16
    # The sizes are part of the source: a kernel that reads so small an array waits for it
    # longer than for its weights, since mlx keeps those in memory shared with the host.
    writes, start = [], 0
    for name, size in zip(_OUTPUTS, sizes, strict=False):
        place = f"(size_t)row * {size} + column - {start}"
        start += size
        writes.append(f"if (column < {start}) {name}[{place}] = __float2bfloat16(sum);")
    source = _SOURCE.replace("WRITE", "\n      else ".join(writes))
    inputs = {"x": x, "weight": weight}
    if bias is not None:
        inputs["bias"] = bias
    source = source.replace("ADDED", "0.0f" if bias is None else "__bfloat162float(bias[column])")
    outputs = _OUTPUTS[: len(sizes)]
    results: list[mx.array] = cuda_kernel("few", "linear", source, tuple(inputs), outputs)(
        inputs=list(inputs.values()),
        template=[("TILES", 1 if rows <= 8 else 2), ("BANDS", bands), ("WARPS", warps)],
        grid=(blocks * warps * 32, 1, 1),
        threadgroup=(warps * 32, 1, 1),
        output_shapes=[(rows, size) for size in sizes],
        output_dtypes=[mx.bfloat16] * len(sizes),
    )
    return results


class LinearGroup(Module):
    """Linear layers with one input, held as one weight. Called, it returns all outputs."""

    def __init__(self, layers: list[Linear]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        joined = len(layers) > 1
        self.weight = mx.concatenate([x.weight for x in layers]) if joined else layers[0].weight
        if "bias" in layers[0]:
            self.bias = mx.concatenate([x.bias for x in layers]) if joined else layers[0].bias
        self._sizes = tuple(layer.weight.shape[0] for layer in layers)
        self._ends = list(itertools.accumulate(self._sizes))
        self._input: mx.array | None = None
        self._outputs: dict[int, mx.array] = {}  # computed for `_input`, not yet taken

    def __call__(self, x: mx.array) -> list[mx.array]:
        bias = self.get("bias")
        if self._is_for_kernel(x):
            *outer, width = x.shape
            rows = x.reshape(-1, width)
            parts = multiply_few(rows, self.weight, bias, self._sizes)
            return [part.reshape(*outer, -1) for part in parts]
        product = x @ self.weight.T if bias is None else mx.addmm(bias, x, self.weight.T)
        return list(mx.split(product, self._ends[:-1], axis=-1))

    def take(self, x: mx.array, index: int) -> mx.array:
        """Return the output of one layer; the first to ask computes for its siblings."""
        if self._input is not x or index not in self._outputs:
            self._input, self._outputs = x, dict(enumerate(self(x)))
        output = self._outputs.pop(index)
        if not self._outputs:
            self._input = None
        return output

    def _is_for_kernel(self, x: mx.array) -> bool:
        width = x.shape[-1]
        return (
            mx.cuda.is_available()
            and width < x.size <= _MAX_ROWS * width  # for a single row mlx has a fast kernel
            and x.dtype == self.weight.dtype == mx.bfloat16
            and width % 32 == 0
        )


class LinearPart(Module):
    """One layer of a group, in the place of the linear layer that it was."""

    def __init__(self, group: LinearGroup, index: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        # The weight is a parameter of the first part alone, so that it counts once.
        if index == 0:
            self.group = group
        self._group = group
        self._index = index

    def __call__(self, x: mx.array) -> mx.array:
        return self._group.take(x, self._index)


def group_linears(model: Module) -> None:
    """Replace every linear layer of the model, siblings by a group; in place.

    One group after the other, so that a model is never in memory twice.
    """
    # Not all modules: such a list would keep every layer that is replaced.
    parents = [module for _, module in model.named_modules() if _sibling_names(module)]
    for module in parents:
        for names in _sibling_names(module):
            group = LinearGroup([module[name] for name in names])
            for index, name in enumerate(names):
                setattr(module, name, LinearPart(group, index))
            mx.eval(group.parameters())  # type: ignore[no-untyped-call]


def _sibling_names(module: Module) -> list[tuple[str, ...]]:
    """Return the names of a module's linear layers, siblings together."""
    alone = {name: layer for name, layer in module.items() if type(layer) is Linear}
    together = []
    for names in _SIBLINGS:
        layers = [alone.get(name) for name in names]
        if None not in layers and len({_kind(layer) for layer in layers}) == 1:
            together.append(names)
            alone = {name: layer for name, layer in alone.items() if name not in names}
    return [*together, *((name,) for name in alone)]


def _kind(layer: Any) -> tuple[Any, ...]:
    return layer.weight.shape[1], layer.weight.dtype, "bias" in layer
