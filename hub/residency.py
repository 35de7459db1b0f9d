"""How many bytes a model takes once it is loaded, which depends on the device that runs it.

The same policy as the engine's, in figures: float32 on a CPU, bfloat16 on CUDA, and there
quantized weights expanded if there is room (`hub.density`); on Metal everything as it is
stored. `--weights` overrides the density.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hub import fit
from hub.density import WeightsOption, expands
from hub.kv_cost import ElementBytes
from hub.machine import Device
from hub.shape import ModelShape
from hub.weights import Part, Weights

_NUMBER_BYTES = {Device.CPU: 4, Device.CUDA: 2}


@dataclass(frozen=True, slots=True)
class Residency:
    """Bytes in memory: of all weights, of the experts among them, of one number in the KV cache."""

    weight_bytes: int
    expert_bytes: int
    element_bytes: ElementBytes


def residency(
    weights: Weights,
    shape: ModelShape,
    device: Device,
    usable_bytes: int,
    option: WeightsOption = WeightsOption.AUTO,
) -> Residency:
    """Say how a device would keep these weights.

    usable_bytes: memory that the model may take, which decides whether it is expanded.
    option: what the operator says of the density; of weights that nobody quantized, nothing.
    """
    number = _NUMBER_BYTES.get(device)
    if number is None:
        if option is not WeightsOption.DENSE or not weights.whole.packed_elements:
            return as_stored(weights)
        number = int(fit.BF16_BYTES)  # the type that scales are stored in, almost always
    elif not expands(
        option,
        _expanded_bytes(weights.whole, number),
        fit.weight_room(shape, usable_bytes, number),
    ):
        return _residency(weights, _packed_bytes, number)
    return _residency(weights, _expanded_bytes, number)


def _residency(weights: Weights, size: Callable[[Part, int], int], number: int) -> Residency:
    return Residency(size(weights.whole, number), size(weights.experts, number), number)


def as_stored(weights: Weights) -> Residency:
    """Every tensor as the files have it, and a KV cache in bfloat16."""
    return Residency(weights.whole.stored_bytes, weights.experts.stored_bytes, fit.BF16_BYTES)


def _expanded_bytes(part: Part, number: int) -> int:
    return (part.packed_elements + part.plain_elements) * number


def _packed_bytes(part: Part, number: int) -> int:
    return part.packed_bytes + (part.scale_elements + part.plain_elements) * number
