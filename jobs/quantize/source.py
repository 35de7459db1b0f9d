"""Which model a request means, and whether it can be quantized. Loads no weight."""

from dataclasses import dataclass
from pathlib import Path

from hub.config import HubConfig
from hub.errors import HubError, ModelNotFound
from hub.folders import repo_id_of
from hub.local_model import CONFIG_FILE, LocalModel, read_local_model
from hub.model_files import read_object
from hub.registry import find_by_name, scan
from jobs.errors import JobError
from jobs.folders import folder_of, has_file, is_path
from jobs.quantize.errors import QuantizeError

# Weights of a kind that cannot be turned back into numbers that another kind could hold.
_FINAL_METHODS = ("bitnet",)


@dataclass(frozen=True, slots=True)
class Inspection:
    """arch: the model type. problem: why it cannot be quantized; "" if it can."""

    arch: str | None
    size_bytes: int
    problem: str


def find_source(hub: HubConfig, model_id: str) -> LocalModel:
    """Find the model, also one that cannot be served; raises a HubError in words for people."""
    try:
        folder = folder_of(model_id)
    except JobError as error:
        raise ModelNotFound(str(error)) from error
    models = scan(hub).models
    if has_file(folder, CONFIG_FILE):
        known = (model for model in models if model.path.resolve() == folder.resolve())
        return next(known, None) or read_local_model(folder, repo_id_of(folder))
    if is_path(model_id):
        raise ModelNotFound(f"{model_id} is not a folder with a {CONFIG_FILE}")
    exact = [model for model in models if model.repo_id.casefold() == model_id.casefold()]
    return exact[0] if len(exact) == 1 else find_by_name(model_id, models)


def name_of(hub: HubConfig, model_id: str) -> str:
    """The repo id of what a request means, or what it says if that cannot be found (yet)."""
    try:
        return find_source(hub, model_id).repo_id
    except (HubError, OSError):
        return Path(model_id).name if is_path(model_id) else model_id


def inspect(hub: HubConfig, model_id: str) -> Inspection:
    """Tell what a model is and whether it can be quantized; raises HubError if there is none."""
    model = find_source(hub, model_id)
    return Inspection(model.model_type or None, model.weight_bytes, problem_of(model))


def require_quantizable(model: LocalModel) -> None:
    """Raise QuantizeError with the reason for a model that cannot be quantized."""
    if problem := problem_of(model):
        raise QuantizeError(f"{model.repo_id} cannot be quantized: {problem}")


def problem_of(model: LocalModel) -> str:
    """Why a model cannot be quantized, or ""."""
    if model.problem:
        return model.problem
    if not model.made_to_chat:
        return "it turns texts into vectors, and only models that write text can be measured"
    config = read_object(model.path / CONFIG_FILE)
    stated = config.get("quantization_config")
    method = stated.get("quant_method") if isinstance(stated, dict) else None
    if method in _FINAL_METHODS:
        return f"its weights are {method}, which nothing else can hold: take the original model"
    if config.get("quantize_activations"):
        return "its activations are quantized as well: take the original model"
    return ""
