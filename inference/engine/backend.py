"""Decides device, data type and weight density: the one place that does.

The decision is a value made from facts, so that it can be tested without any of the
devices. Figures behind the rules, SmolLM2-135M on 2 x86 cores: float16 activations are
some fifty times slower than float32 on MLX's CPU backend, and batched decode of 8 rows
gives 52 tok/s dense against 6 quantized. On CUDA (one H200, an 8B model, 64 rows) dense
bfloat16 decodes 12 times as fast as 4-bit. On Metal the quantized kernels are the fast ones.
"""

from dataclasses import dataclass
from enum import StrEnum


class Device(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"
    METAL = "metal"


class WeightsOption(StrEnum):
    """What `--weights` asks for."""

    AUTO = "auto"
    QUANTIZED = "quantized"
    DENSE = "dense"


@dataclass(frozen=True, slots=True)
class BackendFacts:
    """What the decision rests on.

    quantized: whether the checkpoint's weights are quantized.
    dense_elements: number of weights, counted as if dense.
    usable_bytes: memory that the model may take.
    """

    device: Device
    quantized: bool
    dense_elements: int
    usable_bytes: int


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
    if option is WeightsOption.DENSE:
        return True, "dense: asked for by --weights"
    if option is WeightsOption.QUANTIZED:
        return False, "quantized: asked for by --weights"
    if dtype is None:
        return False, "quantized: the fast kernels on Metal"
    need = facts.dense_elements * _BYTES[dtype]
    sizes = f"{need / 1e9:.1f} GB dense, {facts.usable_bytes / 1e9:.1f} GB usable"
    if need <= facts.usable_bytes:
        return True, f"dense: faster here as soon as rows are batched ({sizes})"
    return False, f"quantized: does not fit dense ({sizes})"
