"""Facts about a model folder that its JSON files tell, without loading a weight."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from hub.embedding import is_embedding
from hub.local_model import LocalModel

# For checkpoints that do not say: the least any current chat model has.
FALLBACK_CONTEXT = 4096


@dataclass(frozen=True, slots=True)
class GenerationDefaults:
    """What the model's author recommends; None where the author is silent."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None

    def overlaid_by(self, other: "GenerationDefaults") -> "GenerationDefaults":
        """Return these values with every value that `other` has in their place."""
        return replace(self, **{k: v for k, v in asdict(other).items() if v is not None})


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model before it is loaded.

    model_id: the name on the wire.
    context_window: tokens, prompt and answer together.
    vocab_size: number of token ids; None where config.json does not say.
    is_embedding: whether it turns texts into vectors, as `inference/engine/embedder.py` reads them.
    config, generation_config: the files of those names as parsed.
    local: the model as it was found here, whatever becomes of its folder; None for a scripted one.
    """

    model_id: str
    path: Path | None
    context_window: int
    model_type: str
    defaults: GenerationDefaults = GenerationDefaults()
    vocab_size: int | None = None
    is_embedding: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)
    generation_config: Mapping[str, Any] = field(default_factory=dict)
    local: LocalModel | None = None


def read_model_info(model_id: str, path: Path) -> ModelInfo:
    """Read config.json and generation_config.json of the folder `path`.

    Raises OSError or ValueError when config.json is missing or is not a JSON object, and
    BrokenModel for files of an embedding model that cannot be read.
    """
    config = _read_object(path / "config.json")
    text_config = config.get("text_config")
    text = text_config if isinstance(text_config, dict) else config
    context = text.get("max_position_embeddings") or config.get("max_position_embeddings")
    vocabulary = text.get("vocab_size") or config.get("vocab_size")
    generation = path / "generation_config.json"
    author = _read_object(generation) if generation.is_file() else {}
    return ModelInfo(
        model_id=model_id,
        path=path,
        context_window=context if type(context) is int and context > 0 else FALLBACK_CONTEXT,
        model_type=str(config.get("model_type", "unknown")),
        defaults=GenerationDefaults(
            temperature=_number(author.get("temperature")),
            top_p=_number(author.get("top_p"), at_most=1),
            top_k=None if (top_k := _number(author.get("top_k"))) is None else int(top_k),
        ),
        vocab_size=vocabulary if type(vocabulary) is int and vocabulary > 0 else None,
        is_embedding=is_embedding(model_id, path, config),
        config=config,
        generation_config=author,
    )


def _read_object(path: Path) -> dict[str, Any]:
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError(f"{path.name} is not a JSON object")
    return value


def _number(value: object, *, at_most: float = sys.float_info.max) -> float | None:
    """Return a number from 0 to `at_most`; what no request could ask for is no default."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= at_most else None
