"""Finds the factors of each layer among an adapter's tensors, and holds them to the model."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from hub.tensors import TensorInfo
from inference.adapters.config import AdapterConfig
from inference.adapters.errors import BadAdapter
from inference.adapters.formats import AdapterFormat
from inference.adapters.target import Target

ELEMENT_BYTES = {"F32": 4, "F16": 2, "BF16": 2}
_SHOWN = 120  # characters of a name in a message


@dataclass(frozen=True, slots=True)
class Pair:
    """The two factors of one layer, as their file's header describes them.

    path: of the layer, as the model spells it. flipped: whether they lie transposed.
    """

    path: str
    a: TensorInfo
    b: TensorInfo
    flipped: bool


def pair_tensors(
    tensors: Mapping[str, TensorInfo],
    config: AdapterConfig,
    form: AdapterFormat,
    targets: Mapping[str, Target],
) -> list[Pair]:
    """Return the pairs by path; raises BadAdapter naming the first tensor that does not fit.

    All tensors have to be factors of layers that the model has, or repeat what such a layer has
    already: another one that is passed over would be a part of the adapter without effect.
    """
    sides: dict[str, dict[str, str]] = {}
    for name, tensor in tensors.items():
        if _is_copy(name, tensor, form, targets):
            continue
        found = form.name.fullmatch(name)
        if found is None:
            raise BadAdapter(f"its tensor {name[:_SHOWN]} is no factor of a LoRA adapter")
        path = _path_of(found["layer"], form, targets)
        if path is None:
            raise BadAdapter(
                f"its tensor {name[:_SHOWN]} belongs to a layer that the served model does not "
                "have, or that takes no adapter"
            )
        if sides.setdefault(path, {}).setdefault(found["side"].lower(), name) != name:
            raise BadAdapter(f"its tensor {name[:_SHOWN]} is there twice, by two names")
    if not sides:
        raise BadAdapter(f"{form.weights_file} holds no tensors")
    return [
        _pair(
            path,
            names,
            tensors,
            config=config,
            target=targets[path],
            flipped=targets[path].kind in form.flipped,
        )
        for path, names in sorted(sides.items())
    ]


def _path_of(layer: str, form: AdapterFormat, targets: Mapping[str, Target]) -> str | None:
    return next((path for path in form.spellings(layer) if path in targets), None)


def _is_copy(
    name: str, tensor: TensorInfo, form: AdapterFormat, targets: Mapping[str, Target]
) -> bool:
    found = None if form.copy is None else form.copy.fullmatch(name)
    path = None if found is None else _path_of(found["layer"], form, targets)
    return path is not None and tensor.shape == targets[path].weight_shape


def _pair(
    path: str,
    names: Mapping[str, str],
    tensors: Mapping[str, TensorInfo],
    *,
    config: AdapterConfig,
    target: Target,
    flipped: bool,
) -> Pair:
    if len(names) < 2:
        [lone] = names.values()
        raise BadAdapter(f"its tensor {lone[:_SHOWN]} lacks the other factor")
    a, b = tensors[names["a"]], tensors[names["b"]]
    rank = _rank_of(a, flipped=flipped) if config.ranks_vary else config.rank
    for name, tensor, wanted in zip(
        (names["a"], names["b"]), (a, b), target.shapes(rank), strict=True
    ):
        _check(name, tensor, (*wanted[:-2], wanted[-1], wanted[-2]) if flipped else wanted)
    return Pair(path, a, b, flipped)


def _rank_of(a: TensorInfo, *, flipped: bool) -> int:
    """Return the rank that the first factor has, or 0, which fits nothing."""
    return a.shape[-2 if flipped else -1] if len(a.shape) > 1 else 0


def _check(name: str, tensor: TensorInfo, shape: tuple[int, ...]) -> None:
    element = ELEMENT_BYTES.get(tensor.dtype)
    if element is None:
        allowed = ", ".join(ELEMENT_BYTES)
        raise BadAdapter(
            f"its tensor {name[:_SHOWN]} is of type {tensor.dtype[:20]}, expected one of {allowed}"
        )
    if tensor.shape != shape or 0 in shape:
        raise BadAdapter(
            f"its tensor {name[:_SHOWN]} has shape {tensor.shape}, but rank and served model "
            f"ask for {shape}"
        )
    if tensor.size_bytes != element * math.prod(shape):
        raise BadAdapter(f"its tensor {name[:_SHOWN]} has {tensor.size_bytes:,} bytes of data")
