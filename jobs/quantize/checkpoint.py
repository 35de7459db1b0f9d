"""A model opened lazily and cut into pieces: each layer is one, and all the rest together.

Whoever walks the pieces and lets each go before the next has one layer in memory at a time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.nn.layers.base import Module
from mlx.utils import tree_flatten, tree_unflatten
from mlx_lm.utils import load_model

from jobs.quantize.errors import QuantizeError

Named = tuple[str, mx.array]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a model that is converted in one go.

    path: where its module stands in the model, "" for the model itself. foreign: paths within
    that belong to other pieces. Names that go in and out are those of the whole model.
    """

    path: str
    module: Any
    foreign: tuple[str, ...] = ()

    def modules(self) -> Iterator[tuple[str, Any]]:
        """Yield the modules without children, by name."""
        leaves: Any = tree_flatten(self.module.leaf_modules(), is_leaf=Module.is_module)
        for name, module in leaves:
            if self._is_own(name):
                yield self._full(name), module

    def parameters(self) -> list[Named]:
        """All arrays by name; lazy ones stay lazy."""
        flat: Any = tree_flatten(self.module.parameters())
        return [(self._full(name), array) for name, array in flat if self._is_own(name)]

    def replace(self, modules: Iterable[tuple[str, Any]]) -> None:
        """Put other modules in the place of some."""
        if found := [(self._relative(name), module) for name, module in modules]:
            self.module.update_modules(tree_unflatten(found))

    def assign(self, arrays: Iterable[Named]) -> None:
        """Put other arrays in the place of some."""
        if found := [(self._relative(name), array) for name, array in arrays]:
            self.module.update(tree_unflatten(found))

    def child(self, name: str) -> Any:
        """A module of this piece by its path within it; None if there is none."""
        found = self.module
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        return found

    def _is_own(self, name: str) -> bool:
        return not any(name.startswith(f"{path}.") for path in self.foreign)

    def _full(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _relative(self, name: str) -> str:
        return name.removeprefix(f"{self.path}.") if self.path else name


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A lazily opened model. config: its `config.json` as mlx-lm understands it.

    rest: everything outside of the layers. layers: in the order in which they compute.
    """

    model: Any
    config: dict[str, Any]
    rest: Piece
    layers: tuple[Piece, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (self.rest, *self.layers)


def open_checkpoint(path: Path) -> Checkpoint:
    """Open a model folder without reading a weight; raises QuantizeError if mlx-lm cannot."""
    try:
        model, config = load_model(path, lazy=True, trust_remote_code=False)
    except Exception as error:  # mlx-lm and its model files raise what they like
        raise QuantizeError(f"mlx-lm cannot load this model: {error}") from error
    paths = {id(module): name for name, module in model.named_modules()}
    layers = list(getattr(model, "layers", ()))
    names = tuple(paths.get(id(layer), "") for layer in layers)
    if not layers or not all(names):
        raise QuantizeError("this model has no list of layers, so it cannot be read layer by layer")
    if len(set(names)) < len(names):
        raise QuantizeError("layers of this model are one and the same, so none can be let go")
    return Checkpoint(
        model,
        config,
        Piece("", model, names),
        tuple(Piece(name, layer) for name, layer in zip(names, layers, strict=True)),
    )
