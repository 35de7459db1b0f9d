"""Which models turn texts into vectors.

Their architecture is often a chat model's (Qwen3): only files beside the weights, or the
name, tell them apart.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hub.errors import BrokenModel
from hub.model_files import read_json, read_object
from hub.text_config import model_type, words

MODULES_FILE = "modules.json"  # sentence-transformers lists its parts here
POOLING_FILE = "1_Pooling/config.json"
ENCODER_TYPES = {"bert", "modernbert", "mpnet", "nomic_bert", "roberta", "xlm-roberta"}


def is_embedding(repo_id: str, folder: Path, config: Mapping[str, Any]) -> bool:
    """Tell whether a checkpoint is a Qwen3 that embeds by its last token.

    The folder decides, by what sentence-transformers and transformers wrote into it. A
    conversion may have left these files out: then the name does.
    Raises BrokenModel for such a file that cannot be read.
    """
    if model_type(config) != "qwen3" or config.get("is_causal") is False:
        return False
    modules = folder / MODULES_FILE
    # A part beyond these would change the vectors, and is not computed here.
    if modules.is_file() and not _kinds(modules) <= {"Transformer", "Pooling", "Normalize"}:
        return False
    pooling = folder / POOLING_FILE
    if pooling.is_file():
        facts = read_object(pooling)
        return (
            facts.get("pooling_mode_lasttoken") is True or facts.get("pooling_mode") == "lasttoken"
        )
    if modules.is_file() or "Qwen3Model" in words(config.get("architectures")):
        return True
    return "embed" in repo_id.lower()


def is_made_to_chat(repo_id: str, folder: Path, config: Mapping[str, Any]) -> bool:
    """Tell whether a model is there to write text, so that it may be served unasked.

    Stricter than the opposite of `is_embedding`: a model made for vectors by other means
    than ours cannot chat either.
    """
    return not (
        "embed" in repo_id.lower()
        or (folder / MODULES_FILE).is_file()
        or model_type(config) in ENCODER_TYPES
    )


def _kinds(modules: Path) -> set[str]:
    parts = read_json(modules)
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise BrokenModel(f"its {modules.name} is not a JSON list of objects")
    return {str(part.get("type")).rpartition(".")[2] for part in parts}
