"""Models as a scan lists them, without any files."""

from pathlib import Path
from typing import Any

from hub.capabilities import Capabilities
from hub.local_model import LocalModel
from hub.shape import AttentionLayer, ModelShape
from hub.support import Tier
from hub.weights import Part, Weights

GIB = 2**30
SMALL_SHAPE = ModelShape(attention=(AttentionLayer(64),), max_position_embeddings=2048)


def model(repo_id: str, gib: float = 1, **changes: Any) -> LocalModel:
    """A model whose weights dominate: cache and activations come to about 1.05 GiB."""
    size = int(gib * GIB)
    fields: dict[str, Any] = {
        "repo_id": repo_id,
        "path": Path("models") / repo_id,
        "snapshot": "abc123",
        "model_type": "llama",
        "weights": Weights(Part(stored_bytes=size, plain_elements=size // 2), Part()),
        "quantization": None,
        "capabilities": Capabilities(),
        "tier": Tier.GENERIC,
        "made_to_chat": True,
        "known_shape": SMALL_SHAPE,
    }
    return LocalModel(**{**fields, **changes})
