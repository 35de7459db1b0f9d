"""Folds two adapters into one that changes a model as both do together.

Exact: factors A stand side by side, factors B, with each adapter's scale folded in, below one
another, so that the product is the sum of both products. The rank is the sum of both ranks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hub.folders import repo_id_of
from hub.starter.staging import staged_folder
from jobs.errors import JobError
from jobs.finetune.adapters.folder import Adapter, Factors, read_adapter, write_adapter


@dataclass(frozen=True, slots=True)
class MergeStats:
    """What was merged: layers in both adapters, in one only, and tensors written."""

    layers_merged: int
    layers_only_in_one: int
    total_keys_out: int
    sources: tuple[str, ...]
    scales: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """As the wire spells it."""
        return {
            "layersMerged": self.layers_merged,
            "layersOnlyInOne": self.layers_only_in_one,
            "totalKeysOut": self.total_keys_out,
            "sources": list(self.sources),
            "scales": list(self.scales),
        }


def merge_folders(
    sources: tuple[Path, Path], target: Path, scales: Sequence[float] | None = None
) -> MergeStats:
    """Write the sum of two adapters into `target`, which appears whole or not at all.

    scales: of each, in place of those that they were trained with. Raises JobError.
    """
    adapters = [read_adapter(source) for source in sources]
    used = tuple(scales) if scales else tuple(adapter.scale for adapter in adapters)
    merged = merge(adapters, used)
    target.parent.mkdir(parents=True, exist_ok=True)
    with staged_folder(target) as folder:
        write_adapter(folder, merged)
    shared = len(set(adapters[0].layers) & set(adapters[1].layers))
    return MergeStats(
        layers_merged=shared,
        layers_only_in_one=len(merged.layers) - shared,
        total_keys_out=2 * len(merged.layers),
        sources=tuple(str(source) for source in sources),
        scales=used,
    )


def merge(adapters: Sequence[Adapter], scales: Sequence[float]) -> Adapter:
    """Return the weighted sum. Raises JobError for adapters of different models."""
    bases = {name: repo_id_of(Path(name)) for a in adapters if (name := a.base_model)}
    if len({name.rpartition("/")[2] for name in bases.values()}) > 1:
        raise JobError(f"the adapters belong to different models: {' and '.join(bases)}")
    paths = sorted({path for adapter in adapters for path in adapter.layers})
    counts = [adapter.num_layers for adapter in adapters]
    return Adapter(
        layers={path: _sum(path, adapters, scales) for path in paths},
        scale=1.0,
        base_model=next(iter(bases), None),
        num_layers=-1 if -1 in counts else max(counts),
    )


def _sum(path: str, adapters: Sequence[Adapter], scales: Sequence[float]) -> Factors:
    parts = [
        (adapter.layers[path].trimmed(), scale)
        for adapter, scale in zip(adapters, scales, strict=True)
        if path in adapter.layers
    ]
    shapes = {(part.a.shape[:-1], part.b.shape[:-2], part.b.shape[-1]) for part, _ in parts}
    if len(shapes) > 1:
        raise JobError(f"{path} has other sizes in one adapter than in the other: other models?")
    return Factors(
        np.concatenate([part.a for part, _ in parts], axis=-1),
        np.concatenate([part.b * np.float32(scale) for part, scale in parts], axis=-2),
    )
