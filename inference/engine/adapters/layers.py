"""What stands in a layer's place while an adapter is on: the layer, and its residual.

Plain callables. An `nn.Module` that asked at each call what is selected would cost as much as
a small model's step; these know their factors, and are there only while they are wanted.
What is asked of them besides, as a weight, the layer answers.

Source: LoRA (Hu et al., 2021).
"""

from typing import Any, NamedTuple

import mlx.core as mx

from inference.adapters.target import LayerKind


class Factors(NamedTuple):
    """A residual `(x @ a) @ b`, its scale folded into `b`.

    a: (in, r), b: (r, out); for experts (experts, in, r) and (experts, r, out).
    """

    a: mx.array
    b: mx.array

    @property
    def nbytes(self) -> int:
        return self.a.nbytes + self.b.nbytes


def stacked(parts: list[Factors]) -> Factors:
    """Return factors of the sum of several residuals: side by side, of the sum of their ranks."""
    if len(parts) == 1:
        return parts[0]
    return Factors(
        mx.concatenate([part.a for part in parts], axis=-1),
        mx.concatenate([part.b for part in parts], axis=-2),
    )


class _Adapted:
    __slots__ = ("_a", "_b", "_base")

    def __init__(self, base: Any, factors: Factors) -> None:
        self._base = base
        self._a, self._b = factors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)


class AdaptedLinear(_Adapted):
    __slots__ = ()

    def __call__(self, x: mx.array) -> mx.array:
        y: mx.array = self._base(x)
        return y + ((x @ self._a) @ self._b).astype(y.dtype)


class AdaptedExperts(_Adapted):
    __slots__ = ()

    def __call__(self, x: mx.array, indices: mx.array, sorted_indices: bool = False) -> mx.array:
        y: mx.array = self._base(x, indices, sorted_indices=sorted_indices)
        chosen: dict[str, Any] = {"rhs_indices": indices, "sorted_indices": sorted_indices}
        z = mx.gather_mm(mx.gather_mm(x, self._a, **chosen), self._b, **chosen)
        return y + z.astype(y.dtype)


class AdaptedEmbedding(_Adapted):
    __slots__ = ()

    def __call__(self, tokens: mx.array) -> mx.array:
        y: mx.array = self._base(tokens)
        return y + (self._a[tokens] @ self._b).astype(y.dtype)

    def as_linear(self, x: mx.array) -> mx.array:
        """Read the embedding as the matrix of the logits, where a model ties the two."""
        y: mx.array = self._base.as_linear(x)
        return y + ((x @ self._b.T) @ self._a.T).astype(y.dtype)


ADAPTED = {
    LayerKind.LINEAR: AdaptedLinear,
    LayerKind.EXPERTS: AdaptedExperts,
    LayerKind.EMBEDDING: AdaptedEmbedding,
}
