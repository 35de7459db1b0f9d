"""The model that is quantized, and the ways in which it is read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from jobs.quantize.checkpoint import open_checkpoint
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.plan import Plan
from jobs.quantize.rotation import Rotation
from jobs.quantize.steps import Step, cast, dequantize, quantize
from jobs.quantize.streaming import StreamedModel
from jobs.quantize.survey import (
    Survey,
    cast_predicate,
    dominant_type,
    quantized_bits,
    storage_type,
    survey,
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A model folder, dense and perhaps rotated.

    dtype: of floating arrays in the result; storage: the same, or None if they keep their own.
    """

    path: Path
    config: dict[str, Any]
    survey: Survey
    dtype: mx.Dtype
    dense: tuple[Step, ...]
    storage: tuple[Step, ...]

    @property
    def vocabulary(self) -> int:
        """How many tokens the model knows, as its config says; 0 if it does not."""
        text = self.config.get("text_config")
        size = (text if isinstance(text, dict) else self.config).get("vocab_size")
        return size if isinstance(size, int) else 0

    def steps(self, plan: Plan) -> tuple[Step, ...]:
        """From the source's pieces to those of the result."""
        return (*self.dense, *self.storage, quantize(plan))

    def open(self) -> StreamedModel:
        """The model before quantization."""
        return StreamedModel(self.path, self.dense)

    def open_rounded(self, plan: Plan) -> StreamedModel:
        """The model as a plan would leave it, without writing it."""
        return StreamedModel(self.path, (*self.steps(plan), dequantize))


def open_folder(path: Path) -> StreamedModel:
    """Any model folder, made dense as it is read."""
    return StreamedModel(path, (dequantize,))


def study(path: Path, request: QuantizeConfig, *, rotated: bool) -> Subject:
    """Look at a model without reading a weight; raises QuantizeError if it cannot be used."""
    opened = open_checkpoint(path)
    source_bits = quantized_bits(opened)
    dense: tuple[Step, ...] = (dequantize,)
    for piece in opened.pieces:
        dequantize(piece)
    source_type = dominant_type(opened)
    stored = storage_type(request.scales, source_type)
    if rotated:
        rotation = Rotation.of(opened, request.rotation_seed)
        dense = (dequantize, rotation)
        for piece in opened.pieces:
            rotation(piece)
    may_cast = cast_predicate(opened.model)
    return Subject(
        path=path,
        config=opened.config,
        survey=survey(opened, request.group_size, stored, source_bits),
        dtype=stored or source_type,
        dense=dense,
        storage=() if stored is None else (cast(stored, may_cast),),
    )
