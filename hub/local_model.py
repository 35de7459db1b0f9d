"""One model folder on this machine, read without loading a weight.

`config.json` and the safetensors headers say everything that is needed to list, choose and
size a model; `hub.registry` does the listing and choosing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.errors import BrokenModel
from hub.shape import ModelShape, build_shape
from hub.tensors import TensorInfo, read_header

CONFIG_FILE = "config.json"
INDEX_FILE = "model.safetensors.index.json"
WEIGHT_PATTERN = "model*.safetensors"  # what mlx-lm loads; other files are sidecars
# Experts as Hugging Face names them, and as mlx-lm does after stacking them.
EXPERT_MARKS = (".experts.", ".switch_mlp.")
ENCODER_TYPES = {"bert", "modernbert", "mpnet", "nomic_bert", "roberta", "xlm-roberta"}


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that is complete on this machine.

    repo_id: `owner/name`, or the folder's name for a folder outside the known places.
    weight_bytes: all tensors of the weight files; expert_bytes: those of them in experts.
    is_embedding: it turns text into vectors and cannot chat.
    quantization_bits: the width most layers have; None for unquantized weights.
    """

    repo_id: str
    path: Path
    model_type: str
    weight_bytes: int
    expert_bytes: int
    is_embedding: bool
    quantization_bits: int | None
    shape: ModelShape


def read_local_model(path: Path, repo_id: str) -> LocalModel:
    """Read one model folder; raises BrokenModel, with the reason, if it cannot be served."""
    config = _read_object(path / CONFIG_FILE)
    tensors = _read_tensors(path)
    return LocalModel(
        repo_id=repo_id,
        path=path,
        model_type=str(config.get("model_type") or ""),
        weight_bytes=sum(tensor.size_bytes for tensor in tensors.values()),
        expert_bytes=sum(
            tensor.size_bytes
            for name, tensor in tensors.items()
            if any(mark in name for mark in EXPERT_MARKS)
        ),
        is_embedding=_is_embedding(path, repo_id, config),
        quantization_bits=_quantization_bits(config),
        shape=build_shape(config),
    )


def _read_object(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BrokenModel(f"it has no readable {path.name}") from error
    except ValueError as error:
        raise BrokenModel(f"its {path.name} is not JSON") from error
    if not isinstance(value, dict):
        raise BrokenModel(f"its {path.name} is not a JSON object")
    return value


def _read_tensors(path: Path) -> dict[str, TensorInfo]:
    files = {file.name for file in path.glob(WEIGHT_PATTERN)}
    if (path / INDEX_FILE).is_file():
        # A download under way has the index, and not yet every shard that it names.
        weight_map = _read_object(path / INDEX_FILE).get("weight_map")
        if isinstance(weight_map, dict):
            files |= {str(name) for name in weight_map.values()}
    if not files:
        raise BrokenModel(f"it has no {WEIGHT_PATTERN}")
    tensors: dict[str, TensorInfo] = {}
    for name in sorted(files):
        tensors |= read_header(path / name)
    return tensors


def _is_embedding(path: Path, repo_id: str, config: Mapping[str, Any]) -> bool:
    # An embedding model may share its architecture with a chat model (Qwen3): then only
    # its name, or the sentence-transformers file beside it, tells.
    return (
        "embed" in repo_id.lower()
        or (path / "modules.json").is_file()
        or config.get("model_type") in ENCODER_TYPES
    )


def _quantization_bits(config: Mapping[str, Any]) -> int | None:
    for key in ("quantization", "quantization_config"):
        value = config.get(key)
        if isinstance(value, Mapping) and isinstance(value.get("bits"), int):
            return int(value["bits"])
    return None
