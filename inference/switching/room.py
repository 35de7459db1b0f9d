"""Whether two models have room side by side, by the formulas of `hub.fit`. Sizes in bytes."""

from hub import fit
from hub.density import WeightsOption
from hub.local_model import LocalModel
from hub.machine import Device
from hub.residency import residency
from hub.sizes import in_gb
from inference.switching.errors import SwitchRefused


def require_fit(
    model: LocalModel, device: Device, usable: int, option: WeightsOption = WeightsOption.AUTO
) -> None:
    """Raise SwitchRefused if not even one token of context fits beside the weights."""
    memory = residency(model.weights, model.shape, device, usable, option)
    if fit.max_safe_context(model.shape, memory.weight_bytes, usable, memory.element_bytes) > 0:
        return
    need = fit.total_bytes(model.shape, memory.weight_bytes, 1, memory.element_bytes)
    raise SwitchRefused(
        f"{model.repo_id} is too large: it needs more than {in_gb(need)}, and {in_gb(usable)} are "
        "usable; choose a smaller model, or raise --memory-budget"
    )


def needed_bytes(model: LocalModel, weight_bytes: int, device: Device, usable: int) -> int:
    """What a model needs to be served, if its weights take so much in memory."""
    context = min(fit.SERVED_CONTEXT_TOKENS, model.shape.max_position_embeddings)
    element_bytes = residency(model.weights, model.shape, device, usable).element_bytes
    return fit.total_bytes(model.shape, weight_bytes, context, element_bytes)
