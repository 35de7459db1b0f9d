"""Forward passes of a model larger than memory: each layer is read, used once and let go.

Everything is computed in float32, dense, so that differences are those of the weights.
Nothing here knows an architecture: the model's own code runs, and only the call of each layer
goes another way, by an instance's class made for it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import mlx.core as mx

from jobs.quantize.checkpoint import Checkpoint, Piece, open_checkpoint
from jobs.quantize.steps import Step, cast

COMPUTE_TYPE = mx.float32
LayerCall = Callable[..., Any]


class StreamedModel:
    """A model folder, computed piece by piece after `steps`. One thread.

    What lies outside of the layers, embedding and head above all, stays in memory.
    """

    def __init__(self, path: Path, steps: Sequence[Step]) -> None:
        self._path = path
        self._steps = (*steps, cast(COMPUTE_TYPE))
        self.checkpoint: Checkpoint = open_checkpoint(path)
        self._prepare(self.checkpoint.rest)
        self._fresh: Checkpoint | None = None
        self._calls: list[LayerCall] = []
        for index, piece in enumerate(self.checkpoint.layers):
            self._calls.append(self.compute_layer)
            _divert(piece.module, lambda *a, index=index, **k: self._calls[index](index, *a, **k))

    def __call__(self, tokens: mx.array) -> mx.array:
        """tokens: (B, L). Returns logits (B, L, V), float32, computed."""
        logits = self.pass_through(self.compute_layer, tokens)
        mx.eval(logits)
        self._fresh = None
        return logits

    @property
    def depth(self) -> int:
        return len(self._calls)

    def pass_through(self, layer_call: LayerCall, tokens: mx.array) -> mx.array:
        """Run the model, with `layer_call(index, *arguments)` in the place of each layer."""
        self._calls[:] = [layer_call] * self.depth
        self._fresh = None  # each pass reads anew
        logits: mx.array = self.checkpoint.model(tokens)
        return logits.astype(COMPUTE_TYPE)

    def read_layer(self, index: int) -> Piece:
        """Return a layer with its weights, which belongs to the caller; once in a pass."""
        if self._fresh is None:
            self._fresh = open_checkpoint(self._path)
        piece = self._fresh.layers[index]
        self._prepare(piece)
        return piece

    def compute_layer(self, index: int, *arguments: Any, **named: Any) -> Any:
        """Read a layer, compute its output, and let the layer go."""
        piece = self.read_layer(index)
        output = piece.module(*arguments, **named)
        mx.eval(output)
        let_go(piece)
        return output

    def _prepare(self, piece: Piece) -> None:
        for step in self._steps:
            step(piece)
        mx.eval([array for _, array in piece.parameters()])


def let_go(piece: Piece) -> None:
    """Free the weights of a layer; whoever still holds its module holds nothing."""
    piece.module.clear()
    mx.clear_cache()


def value_of(scalar: mx.array) -> float:
    """The value of an array of one element, computed now."""
    value: Any = scalar.item()
    return float(value)


def _divert(module: Any, call: Callable[..., Any]) -> None:
    """Let calls of this one module go elsewhere; its attributes stay what they are."""
    own = type(module)
    diverted = type(own.__name__, (own,), {"__call__": lambda _self, *a, **k: call(*a, **k)})
    object.__setattr__(module, "__class__", diverted)
