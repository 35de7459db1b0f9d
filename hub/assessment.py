"""A model on a machine: does it fit, how long may a context be, how fast will it be?

The formulas are those of `hub.fit`; here they are asked together.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hub import chips, fit
from hub.machine import Device, Machine
from hub.residency import Residency, residency
from hub.shape import ModelShape
from hub.weights import Weights

SKU_CONTEXT_TOKENS = 32_768
GIB = 2**30
# A layer's small operations between its products (norms, rotary, attention over a short
# context) run one after another on a CPU and read next to nothing: 13 ms of a step of 46 ms
# with 30 layers (SmolLM2-135M, 2 cores of an AMD EPYC).
CPU_LAYER_SECONDS = 0.0004


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a model needs for one context, in bytes, and what it would do; tps: tokens a second.

    max_safe_context can be above zero though the context asked for does not fit.
    """

    fits: bool
    weights_bytes: int
    kv_bytes: int
    transient_bytes: int
    total_bytes: int
    usable_bytes: int
    max_safe_context: int
    predicted_decode_tps: float


@dataclass(frozen=True, slots=True)
class SkuRow:
    """A model on a machine that can be bought: "M4 Pro 24 GB"."""

    sku: str
    ram_gb: int
    fits: bool
    max_context: int
    decode_tps: float


def assess(
    shape: ModelShape, memory: Residency, context: int, *, usable: int, machine: Machine
) -> Assessment:
    """Assess a loaded model at a context of so many tokens, with so many usable bytes."""
    kv = fit.kv_bytes(shape, context, memory.element_bytes)
    transient = fit.transient_bytes(context)
    total = memory.weight_bytes + kv + transient
    return Assessment(
        fits=total <= usable,
        weights_bytes=memory.weight_bytes,
        kv_bytes=kv,
        transient_bytes=transient,
        total_bytes=total,
        usable_bytes=usable,
        max_safe_context=fit.max_safe_context(
            shape, memory.weight_bytes, usable, memory.element_bytes
        ),
        predicted_decode_tps=predict_decode_tps(shape, memory, context, machine),
    )


def predict_decode_tps(
    shape: ModelShape, memory: Residency, context: int, machine: Machine
) -> float:
    """Predict tokens a second of one sequence at a context of so many tokens."""
    layers = len(shape.attention) + len(shape.linear)
    is_cpu = machine.device is Device.CPU
    return fit.decode_tokens_per_second(
        shape,
        memory.weight_bytes,
        memory.expert_bytes,
        context,
        bandwidth_gbps=machine.bandwidth_gbps,
        element_bytes=memory.element_bytes,
        overhead_seconds=layers * CPU_LAYER_SECONDS if is_cpu else 0.0,
    )


def assess_here(shape: ModelShape, weights: Weights, machine: Machine, context: int) -> Assessment:
    """Assess a model as this machine would run it, with the memory it allows by default."""
    usable = fit.usable_bytes(machine.ram_bytes)
    memory = residency(weights, shape, machine.device, usable)
    return assess(shape, memory, context, usable=usable, machine=machine)


def sku_matrix(shape: ModelShape, weights: Weights) -> Iterator[SkuRow]:
    """Yield the model on every chip that is sold, at `SKU_CONTEXT_TOKENS`."""
    for chip, ram_gb in chips.skus():
        device = Device.CUDA if chip in chips.NVIDIA else Device.METAL
        machine = Machine(chip.name, ram_gb * GIB, device, chip.bandwidth_gbps)
        found = assess_here(shape, weights, machine, SKU_CONTEXT_TOKENS)
        yield SkuRow(
            sku=f"{chip.name} {ram_gb} GB",
            ram_gb=ram_gb,
            fits=found.fits,
            max_context=found.max_safe_context,
            decode_tps=found.predicted_decode_tps,
        )
