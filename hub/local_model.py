"""One model folder on this machine, read without loading a weight.

`config.json` and the safetensors headers say everything that is needed to list, choose and
size a model; `hub.registry` does the listing and choosing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from hub.capabilities import Capabilities, read_capabilities
from hub.embedding import is_embedding, is_made_to_chat
from hub.errors import BrokenModel
from hub.fingerprint import snapshot_of
from hub.model_files import read_object
from hub.quantization import Quantization, read_quantization, widths
from hub.shape import ModelShape, build_shape
from hub.support import Tier, support_tier
from hub.text_config import model_type
from hub.weights import Weights, read_weights

CONFIG_FILE = "config.json"
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that is complete on this machine.

    repo_id: `owner/name`, or the folder's name for a folder outside the known places.
    snapshot: names these very files: the cache's revision, else a digest of the folder.
    quantization: of most layers; None for unquantized weights.
    tier: how well it is supported; None if it cannot be served.
    made_to_chat: false for models that were made to turn texts into vectors.
    known_shape: None where `config.json` does not tell it.
    problem: why it cannot be served, in words; "" for a model that can be.
    """

    repo_id: str
    path: Path
    snapshot: str
    model_type: str
    weights: Weights
    quantization: Quantization | None
    capabilities: Capabilities
    tier: Tier | None
    made_to_chat: bool
    known_shape: ModelShape | None
    problem: str = ""

    @property
    def weight_bytes(self) -> int:
        """Bytes of all tensors of the weight files, as stored."""
        return self.weights.whole.stored_bytes

    @property
    def shape(self) -> ModelShape:
        """What memory and speed depend on; raises BrokenModel where it is not known."""
        if self.known_shape is None:
            raise BrokenModel(self.problem)
        return self.known_shape


def read_local_model(path: Path, repo_id: str) -> LocalModel:
    """Read one model folder; raises BrokenModel, with the reason, if it is no model."""
    try:
        return _read(path, repo_id)
    except OSError as error:
        raise unreadable(error) from error


def unreadable(error: OSError) -> BrokenModel:
    """What is wrong with a folder that the system does not let us read, or no longer."""
    reason = error.strerror or type(error).__name__
    return BrokenModel(f"its folder cannot be read ({reason})")


def _read(path: Path, repo_id: str) -> LocalModel:
    config = read_object(path / CONFIG_FILE)
    weights = read_weights(path, widths(config))
    shape, shape_problem = _value_or_problem(lambda: build_shape(config))
    tier, tier_problem = _value_or_problem(lambda: support_tier(config))
    problem = tier_problem or shape_problem
    return LocalModel(
        repo_id=repo_id,
        path=path,
        snapshot=snapshot_of(path),
        model_type=model_type(config),
        weights=weights,
        quantization=read_quantization(config),
        capabilities=read_capabilities(
            path, config, weights, embeddings=is_embedding(repo_id, path, config)
        ),
        tier=None if problem else tier,
        made_to_chat=is_made_to_chat(repo_id, path, config),
        known_shape=shape,
        problem=problem,
    )


def _value_or_problem(read: Callable[[], Value]) -> tuple[Value | None, str]:
    try:
        return read(), ""
    except BrokenModel as error:
        return None, str(error)
