"""What is told of a served model's keys and values: in figures, and in the banner."""

from hub import fit
from hub.kv_cost import KvCost
from hub.shape import ModelShape
from inference.engine.backend import Device
from inference.engine.cache.scheme import KvScheme
from inference.kv_quant import KvKept

_GB = 10**9


def number_bytes(device: Device) -> float:
    """Bytes of a number as a device computes with it, and keeps it if nothing is quantized."""
    return 4.0 if device is Device.CPU else fit.BF16_BYTES


def kv_kept(scheme: KvScheme, shape: ModelShape, device: Device) -> KvKept:
    """Put a scheme in figures.

    Where the model's caches are other ones than its shape tells, nothing counts as quantized.
    """
    number, attention = number_bytes(device), len(shape.attention)
    sizes = scheme.element_bytes(number)
    plain = {"bf16": attention} if attention else {}
    return KvKept(
        mode=scheme.mode,
        layers=scheme.layer_counts if scheme.formats else plain,
        element_bytes=sizes if len(sizes) == attention else number,
    )


def describe_kv(
    kept: KvKept, cost: KvCost, budget_bytes: int | None, max_context: int
) -> list[tuple[str, str]]:
    """Return labelled facts for people; none for a model that keeps what it always does.

    max_context: tokens that a request may have, and has if it names no limit.
    """
    rows = []
    if kept.mode != "bf16":
        layers = ", ".join(f"{count} {name}" for name, count in kept.layers.items())
        rows.append(("KV cache", f"{kept.mode}; layers: {layers}"))
    if budget_bytes is not None:
        rows.append(("KV budget", f"{budget_bytes / _GB:.4g} GB for all requests together"))
        whole = cost.of(max_context)
        if whole > budget_bytes:
            rows.append(
                (
                    "",
                    f"a whole context takes {whole / _GB:.4g} GB: requests that name no "
                    "max_tokens are refused unless --max-tokens sets it",
                )
            )
    return rows
