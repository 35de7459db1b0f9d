"""Adapters written by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jobs.finetune.adapters.folder import Adapter, Factors, write_adapter

Q, V = "model.layers.0.self_attn.q_proj", "model.layers.1.self_attn.v_proj"
MakeAdapter = Callable[..., Path]


def factors(rank: int, seed: int, inputs: int = 6, outputs: int = 4) -> Factors:
    draw = np.random.default_rng(seed).normal
    return Factors(
        draw(size=(inputs, rank)).astype(np.float32), draw(size=(rank, outputs)).astype(np.float32)
    )


def change(adapter: Adapter, path: str) -> Any:
    """The matrix by which a layer is changed."""
    layer = adapter.layers[path]
    return adapter.scale * layer.a.astype(np.float64) @ layer.b.astype(np.float64)


@pytest.fixture
def make_adapter(tmp_path: Path) -> MakeAdapter:
    """`make_adapter(name, {path: rank}, **fields)` writes a folder; equal ranks, equal factors."""

    def make(name: str, ranks: dict[str, int], **fields: Any) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        seed = sum(name.encode())
        layers = {
            path: factors(rank, seed + place) for place, (path, rank) in enumerate(ranks.items())
        }
        usual = {"scale": 2.0, "base_model": "owner/base", "num_layers": 2}
        write_adapter(folder, Adapter(layers=layers, **{**usual, **fields}))
        return folder

    return make
