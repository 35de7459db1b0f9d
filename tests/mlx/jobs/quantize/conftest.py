"""Tiny models to quantize, and a Hugging Face cache of the test's own to quantize into."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from hub.config import HubConfig
from inference.engine.blas import load_openblas
from tests.plugins.tiny_model import write_checkpoint

load_openblas()  # before any test module of this folder imports mlx

ROWS = [[(7 * i + 3 * j + i * j) % 250 for j in range(48)] for i in range(4)]
"""Token ids for a tiny model: four rows of 48."""


@pytest.fixture
def hub(tmp_path: Path, settings: Settings) -> HubConfig:
    settings.HUB = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")
    return settings.HUB


@pytest.fixture
def local_model(hub: HubConfig) -> Callable[..., Path]:
    """`local_model(kind)` writes a tiny model of ours, `tiny/<kind>`."""

    def write(kind: str, seed: int = 1) -> Path:
        folder = hub.models_dir / "tiny" / kind
        write_checkpoint(folder, kind, seed)
        return folder

    return write
