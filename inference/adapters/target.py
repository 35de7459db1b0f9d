"""What an adapter can be mounted on: layers of the served model, by their names."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


class LayerKind(Enum):
    LINEAR = auto()  # one matrix
    EXPERTS = auto()  # a matrix for each expert
    EMBEDDING = auto()  # a row for each token id


@dataclass(frozen=True, slots=True)
class Target:
    """A layer that computes `outputs` numbers of `inputs`; for an embedding, of token ids.

    experts: how many matrices it has, if it has experts.
    """

    kind: LayerKind
    inputs: int
    outputs: int
    experts: int = 0

    @property
    def weight_shape(self) -> tuple[int, ...]:
        """The shape of the layer's own weight, unless that is quantized."""
        match self.kind:
            case LayerKind.LINEAR:
                return self.outputs, self.inputs
            case LayerKind.EXPERTS:
                return self.experts, self.outputs, self.inputs
            case LayerKind.EMBEDDING:
                return self.inputs, self.outputs

    def shapes(self, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the shapes of a residual's factors, which are multiplied in this order."""
        outer = (self.experts,) if self.kind is LayerKind.EXPERTS else ()
        return (*outer, self.inputs, rank), (*outer, rank, self.outputs)


@dataclass(frozen=True, slots=True)
class BaseModel:
    """The model that adapters are mounted on, as far as their files are held to it.

    model_id: its name on the wire.
    targets: layers by path, as mlx-lm spells it: `model.layers.0.self_attn.q_proj`.
    max_bytes: the largest adapter that is read at all.
    """

    model_id: str
    targets: Mapping[str, Target]
    max_bytes: int
