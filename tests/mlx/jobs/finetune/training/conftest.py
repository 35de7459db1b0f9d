"""Tiny models for tests of one part of training."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jobs.finetune.config import FinetuneConfig, read_config

Load = Callable[..., Any]
PLACES = {"model_dir": "m", "data_dir": "d", "adapter_path": "a"}


@pytest.fixture
def config() -> Callable[..., FinetuneConfig]:
    return lambda **fields: read_config({**PLACES, **fields})


@pytest.fixture
def load_tiny(tiny_checkpoint: Callable[[str], Path]) -> Load:
    """`load_tiny(kind, bits=…, **config changes)`: a frozen tiny model of its own."""

    def load(kind: str = "llama", *, bits: int = 0, **changes: Any) -> Any:
        from mlx import nn
        from mlx_lm.utils import load_model

        model, _ = load_model(tiny_checkpoint(kind), model_config=changes, strict=False)
        if bits:
            nn.quantize(model, group_size=32, bits=bits)
        model.freeze()
        return model

    return load


@pytest.fixture
def adapted(load_tiny: Load, config: Callable[..., FinetuneConfig]) -> Load:
    """`adapted(kind, …)`: the same with an adapter that does something."""

    def load(kind: str = "llama", **changes: Any) -> Any:
        import mlx.core as mx

        from jobs.finetune.training.lora import add_lora

        model = load_tiny(kind, **changes)
        mx.random.seed(0)
        layers = add_lora(model, config(rank=2), {})
        for module in layers.modules.values():
            module.lora_b = mx.random.normal(module.lora_b.shape) * 0.1
        return model

    return load
