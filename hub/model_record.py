"""A `LocalModel` as plain JSON values, and back: what `hub.index` keeps."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from hub.capabilities import Capabilities
from hub.local_model import LocalModel
from hub.quantization import Quantization
from hub.shape import AttentionLayer, LinearLayer, ModelShape
from hub.support import Tier
from hub.weights import Part, Weights


def to_record(model: LocalModel) -> dict[str, Any]:
    """Everything but the path."""
    return {name: value for name, value in asdict(model).items() if name != "path"}


def from_record(record: dict[str, Any], path: Path) -> LocalModel:
    """The model of a record; raises KeyError, TypeError or ValueError for anything else."""
    weights, quantization = record["weights"], record["quantization"]
    tier, shape = record["tier"], record["known_shape"]
    return LocalModel(
        **{
            **record,
            "path": path,
            "weights": Weights(
                **{
                    **weights,
                    "whole": Part(**weights["whole"]),
                    "experts": Part(**weights["experts"]),
                }
            ),
            "quantization": None if quantization is None else Quantization(**quantization),
            "capabilities": Capabilities(**record["capabilities"]),
            "tier": None if tier is None else Tier(tier),
            "known_shape": None if shape is None else _shape(shape),
        }
    )


def _shape(record: dict[str, Any]) -> ModelShape:
    return ModelShape(
        **{
            **record,
            "attention": tuple(AttentionLayer(**layer) for layer in record["attention"]),
            "linear": tuple(LinearLayer(**layer) for layer in record["linear"]),
        }
    )
