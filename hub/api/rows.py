"""Models of the library in the words of the wire."""

from collections.abc import Iterable
from typing import Any

from hub.library import Entry
from hub.local_model import LocalModel
from hub.registry import Skipped


def library_row(entry: Entry, *, serving: bool) -> dict[str, Any]:
    """A row of `GET /library`."""
    model = entry.model
    return {
        **_common(entry),
        "vision": model.capabilities.vision,
        "audio": model.capabilities.audio,
        **_support(entry),
        "serving": serving,
        "assessment": _assessment(entry),
    }


def local_row(entry: Entry) -> dict[str, Any]:
    """A row of `GET /api/hub/local`."""
    quantization = entry.model.quantization
    return {
        **_common(entry),
        "quant_group_size": quantization.group_size if quantization else None,
        "vision": entry.model.capabilities.vision,
        **_support(entry),
        "assessment": _assessment(entry),
    }


def listed_rows(
    models: Iterable[LocalModel], *, served_id: str, created: int
) -> list[dict[str, Any]]:
    """The rows of `GET /v1/models` after the served model's: what could be served instead."""
    return [
        {
            "id": model.repo_id,
            "object": "model",
            "created": created,
            "vision": model.capabilities.vision,
            "tier": model.tier,
        }
        for model in models
        if not model.problem and model.repo_id != served_id
    ]


def skipped_rows(skipped: Iterable[Skipped]) -> list[dict[str, str]]:
    """Folders that are no models, each with the reason."""
    return [{"repo_id": folder.repo_id, "reason": folder.reason} for folder in skipped]


def _common(entry: Entry) -> dict[str, Any]:
    model = entry.model
    return {
        "repo_id": model.repo_id,
        "model_type": model.model_type,
        "size_bytes": model.weight_bytes,
        "quant_bits": model.quantization.bits if model.quantization else None,
    }


def _support(entry: Entry) -> dict[str, Any]:
    tier = entry.model.tier
    return {"supported": tier is not None, "support_tier": tier}


def _assessment(entry: Entry) -> dict[str, Any] | None:
    found = entry.assessment
    if found is None:
        return None
    return {
        "fits": found.fits,
        "max_safe_context": found.max_safe_context,
        "predicted_decode_tps": entry.decode_tps,
    }
