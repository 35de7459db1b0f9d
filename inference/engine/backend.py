"""Decides device, data type and weight density: the one place that does.

The decision is a value made from facts, so that it can be tested without any of the
devices. Figures behind the rules, SmolLM2-135M on 2 x86 cores: float16 activations are
some fifty times slower than float32 on MLX's CPU backend, and batched decode of 8 rows
gives 52 tok/s dense against 6 quantized. On CUDA (one H200, an 8B model, 64 rows) dense
bfloat16 decodes 12 times as fast as 4-bit. On Metal the quantized kernels are the fast ones.
"""

from dataclasses import dataclass
from enum import StrEnum

from hub.density import WeightsOption, expands


class Device(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"
    METAL = "metal"


@dataclass(frozen=True, slots=True)
class BackendFacts:
    """What the decision rests on.

    quantized: whether the checkpoint's weights are quantized.
    dense_elements: number of weights, counted as if dense.
    room_bytes: memory that weights may take, with room for a context beside them.
    """

    device: Device
    quantized: bool
    dense_elements: int
    room_bytes: int


@dataclass(frozen=True, slots=True)
class BackendChoice:
    """How a model is run, and why.

    dtype: name of the floating type of weights and activations; None keeps the checkpoint's.
    dense: whether quantized weights are expanded at load.
    reasons: one short sentence each, for the banner and `/stats`.
    """

    device: Device
    dtype: str | None
    dense: bool
    reasons: tuple[str, ...]

    @property
    def label(self) -> str:
        density = "dense" if self.dense else "as stored"
        return f"{self.device.value}, {self.dtype or 'checkpoint type'}, weights {density}"


_DTYPES = {Device.CPU: "float32", Device.CUDA: "bfloat16", Device.METAL: None}
_BYTES = {"float32": 4, "bfloat16": 2}
_DTYPE_REASONS = {
    Device.CPU: "float32: half-precision types are far slower on the CPU",
    Device.CUDA: "bfloat16: the tensor cores' own type",
    Device.METAL: "data type as the checkpoint says",
}


def choose_backend(facts: BackendFacts, option: WeightsOption) -> BackendChoice:
    """Apply the policy to the facts; `option` overrides the density."""
    dtype = _DTYPES[facts.device]
    dense, reason = _choose_density(facts, option, dtype)
    reasons = [_DTYPE_REASONS[facts.device]]
    if reason:
        reasons.append(reason)
    return BackendChoice(facts.device, dtype, dense, tuple(reasons))


def _choose_density(
    facts: BackendFacts, option: WeightsOption, dtype: str | None
) -> tuple[bool, str]:
    if not facts.quantized:
        return True, ""
    expanded = None if dtype is None else facts.dense_elements * _BYTES[dtype]
    dense = expands(option, expanded, facts.room_bytes)
    density = "dense" if dense else "quantized"
    if option is not WeightsOption.AUTO:
        return dense, f"{density}: asked for by --weights"
    if expanded is None:
        return dense, f"{density}: the fast kernels on Metal"
    why = "faster here as soon as rows are batched" if dense else "no room for it dense"
    sizes = f"{expanded / 1e9:.1f} GB dense, {max(facts.room_bytes, 0) / 1e9:.1f} GB for weights"
    return dense, f"{density}: {why} ({sizes})"
