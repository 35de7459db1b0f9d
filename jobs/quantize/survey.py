"""What of a model can be quantized, and what its arrays take. Reads no weight."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mlx.core as mx

from jobs.quantize.checkpoint import Checkpoint
from jobs.quantize.config import WIDTHS
from jobs.quantize.errors import QuantizeError
from jobs.quantize.plan import Plan, Target, Width, fitting_group


@dataclass(frozen=True, slots=True)
class Survey:
    """targets: modules that can be quantized, by name. other_bytes: all that stays as it is.

    parameters: numbers of the dense model. dtype: the type that most of them have.
    source_bits: how many bits most weights of the source have; None if it is not quantized.
    narrowed: modules with smaller groups than asked for. left: modules that no group divides.
    """

    targets: dict[str, Target]
    other_bytes: int
    parameters: int
    dtype: mx.Dtype
    source_bits: int | None
    narrowed: int
    left: int

    def size_bytes(self, plan: Plan) -> int:
        """All arrays together, quantized by a plan that names every target."""
        packed = sum(target.size_bytes(plan[name].bits) for name, target in self.targets.items())
        return packed + self.other_bytes

    def bits_per_weight(self, plan: Plan) -> float:
        return 8 * self.size_bytes(plan) / self.parameters

    def uniform(self, bits: int) -> Plan:
        """The plan that gives all targets the same bits, but those whose author says others."""
        return {
            name: Width(target.fixed_bits or bits, target.group_size)
            for name, target in self.targets.items()
        }


def survey(
    dense: Checkpoint, group_size: int, storage: mx.Dtype | None, source_bits: int | None
) -> Survey:
    """Look at a model whose pieces were made dense.

    storage: the type that floating arrays will be stored in; None for the one each has.
    Raises QuantizeError if no module has rows that a group size divides.
    """
    prescribed = _prescription(dense.model)
    may_cast = cast_predicate(dense.model)
    targets: dict[str, Target] = {}
    narrowed = left = 0
    for piece in dense.pieces:
        for name, module in piece.modules():
            if not hasattr(module, "to_quantized") or (wish := prescribed(name, module)) is False:
                continue
            own = wish if isinstance(wish, dict) else {}
            wanted = min(own.get("group_size", group_size), group_size)
            group = fitting_group(module.weight.shape[-1], wanted)
            if group is None:
                left += 1
                continue
            narrowed += group < wanted
            stored = _stored(module.weight.dtype, storage, may_cast(f"{name}.weight"))
            bits = own.get("bits")
            targets[name] = Target(
                module.weight.size, group, stored.size, bits if bits in WIDTHS else None
            )
    if not targets:
        raise QuantizeError(
            f"no layer of this model has rows that groups of {group_size} or fewer divide"
        )
    arrays = [pair for piece in dense.pieces for pair in piece.parameters()]
    packed = {f"{name}.weight" for name in targets}
    return Survey(
        targets=targets,
        other_bytes=sum(
            array.size * _stored(array.dtype, storage, may_cast(name)).size
            for name, array in arrays
            if name not in packed
        ),
        parameters=sum(array.size for _, array in arrays),
        dtype=_most_common(arrays),
        source_bits=source_bits,
        narrowed=narrowed,
        left=left,
    )


def quantized_bits(checkpoint: Checkpoint) -> int | None:
    """The bits that most modules of a model as stored have; None if none is quantized."""
    found = Counter(
        module.bits
        for piece in checkpoint.pieces
        for _, module in piece.modules()
        if "scales" in module
    )
    return found.most_common(1)[0][0] if found else None


def storage_type(scales: str, dtype: mx.Dtype) -> mx.Dtype | None:
    """The type to store floating arrays in; None to keep what each has.

    scales: the request's word. dtype: the source's. Scales of float32 cost half a bit a weight
    in groups of 64, and whoever loads the model chooses the type to compute in anyway.
    """
    if scales != "auto":
        wanted: mx.Dtype = getattr(mx, scales)
        return None if wanted == dtype else wanted
    return mx.bfloat16 if dtype == mx.float32 else None


def cast_predicate(model: Any) -> Callable[[str], bool]:
    """Which arrays of a model may change their type, as its author says."""
    predicate: Callable[[str], bool] | None = getattr(model, "cast_predicate", None)
    return predicate or (lambda _name: True)


def dominant_type(checkpoint: Checkpoint) -> mx.Dtype:
    """The floating type that most numbers of a dense model have."""
    return _most_common([pair for piece in checkpoint.pieces for pair in piece.parameters()])


def _most_common(arrays: list[tuple[str, mx.array]]) -> mx.Dtype:
    sizes: Counter[mx.Dtype] = Counter()
    for _, array in arrays:
        if mx.issubdtype(array.dtype, mx.floating):
            sizes[array.dtype] += array.size
    return sizes.most_common(1)[0][0]


def _prescription(model: Any) -> Callable[[str, Any], Any]:
    predicate: Callable[[str, Any], Any] | None = getattr(model, "quant_predicate", None)
    return predicate or (lambda _name, _module: True)


def _stored(own: mx.Dtype, storage: mx.Dtype | None, may_cast: bool) -> mx.Dtype:
    floating = mx.issubdtype(own, mx.floating)
    return storage if storage is not None and floating and may_cast else own
