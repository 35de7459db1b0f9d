"""Tiny models with adapters of random factors."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from inference.adapters.folder import read_adapter
from inference.adapters.mounted import MountedAdapter
from inference.adapters.target import BaseModel, LayerKind, Target
from inference.engine.adapters.host import AdapterHost
from inference.engine.adapters.targets import find_targets
from tests.plugins.adapters import write_adapter


@dataclass
class Mounting:
    """A model that adapters are written for, mounted on and asked of."""

    model: Any
    folder: Path
    targets: dict[str, Target]
    host: AdapterHost
    written: dict[str, Path] = field(default_factory=dict)

    @property
    def base(self) -> BaseModel:
        return BaseModel("tiny", self.targets, 2**30)

    def write(self, name: str, targets: Any = None, **options: Any) -> Path:
        """Write an adapter on the layers of all blocks, or on those named."""
        chosen = self.targets if targets is None else {t: self.targets[t] for t in targets}
        self.written[name] = write_adapter(self.folder / name, chosen, **options)
        return self.written[name]

    def mount(self, name: str, path: Path | None = None) -> MountedAdapter:
        return self.host.mount(name, read_adapter(path or self.written[name], self.base))

    def modules(self) -> dict[str, Any]:
        return dict(self.model.named_modules())


@pytest.fixture
def mounting(tiny_model, tmp_path) -> Callable[[str], Mounting]:
    """Return a tiny model of a kind with nothing mounted, and its linear layers as targets."""

    def make(kind: str, *, kinds: tuple[LayerKind, ...] = (LayerKind.LINEAR,)) -> Mounting:
        model = tiny_model(kind).model
        targets = {p: t for p, t in find_targets(model).items() if t.kind in kinds}
        return Mounting(model, tmp_path, targets, AdapterHost(model, targets, mx.float32))

    return make
