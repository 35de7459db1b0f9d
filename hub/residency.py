"""How many bytes a model takes once it is loaded, which depends on the device that runs it.

The same policy as the engine's, in figures: float32 on a CPU, bfloat16 on CUDA, and there
quantized weights expanded if they fit; on Metal everything as it is stored.
"""

from dataclasses import dataclass

from hub import fit
from hub.kv_cost import ElementBytes
from hub.machine import Device
from hub.weights import Part, Weights

_NUMBER_BYTES = {Device.CPU: 4, Device.CUDA: 2}


@dataclass(frozen=True, slots=True)
class Residency:
    """Bytes in memory: of all weights, of the experts among them, of one number in the KV cache."""

    weight_bytes: int
    expert_bytes: int
    element_bytes: ElementBytes


def residency(weights: Weights, device: Device, usable_bytes: int) -> Residency:
    """Say how a device would keep these weights.

    usable_bytes: memory that the model may take, which decides whether it is expanded.
    """
    if device is Device.METAL:
        return as_stored(weights)
    number = _NUMBER_BYTES[device]
    expand = _expanded_bytes(weights.whole, number) <= usable_bytes
    size = _expanded_bytes if expand else _packed_bytes
    return Residency(size(weights.whole, number), size(weights.experts, number), number)


def as_stored(weights: Weights) -> Residency:
    """Every tensor as the files have it, and a KV cache in bfloat16."""
    return Residency(weights.whole.stored_bytes, weights.experts.stored_bytes, fit.BF16_BYTES)


def _expanded_bytes(part: Part, number: int) -> int:
    return (part.packed_elements + part.plain_elements) * number


def _packed_bytes(part: Part, number: int) -> int:
    return part.packed_bytes + (part.scale_elements + part.plain_elements) * number
