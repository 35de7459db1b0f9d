"""Reads an adapter's folder whole, having held it to the model it is for; computes nothing.

Anyone may have made the folder. Its headers are read within limits and checked first, and no
more of its data is read than they describe. Nothing here maps a file into memory: one that is
cut short meanwhile would end the process.
"""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hub.errors import BrokenModel
from hub.model_files import open_file
from hub.tensors import TensorInfo, read_open_header
from inference.adapters.config import AdapterConfig, read_config, read_fields
from inference.adapters.errors import BadAdapter
from inference.adapters.formats import AdapterFormat, find_format
from inference.adapters.pairing import Pair, pair_tensors
from inference.adapters.target import BaseModel

_DIGEST_CHARACTERS = 32


@dataclass(frozen=True, slots=True)
class Factor:
    """A matrix as it lies in its file: `dtype` in the format's words, little-endian data."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class LayerFactors:
    """The residual of one layer: `a`, then `b`; transposed, both of them, if `flipped`."""

    a: Factor
    b: Factor
    flipped: bool


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter that fits the served model, read and not yet mounted.

    layers: by path of the layer.
    digest: the same for equal weights and scale, and only for them.
    size_bytes: of its weights on disk.
    """

    path: Path
    config: AdapterConfig
    layers: dict[str, LayerFactors]
    digest: str
    size_bytes: int


def read_adapter(folder: Path, base: BaseModel) -> Adapter:
    """Read the adapter in `folder` for a model; raises BadAdapter. Thread: any but the engine's."""
    try:
        return _read(folder, base)
    # ValueError: a path with a zero byte or half a character in it.
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no path can be spelled so"
        raise BadAdapter(f"its folder cannot be read ({reason})") from error


def _read(folder: Path, base: BaseModel) -> Adapter:
    if not folder.is_dir():
        raise BadAdapter("path is not a folder of this machine")
    form = find_format(folder)
    fields = read_fields(folder)
    config = read_config(fields)
    form.check(fields)
    if not config.fits_base(base.model_id):
        raise BadAdapter(
            f"it was trained for {str(config.base_model)[:200]}, but the served model is "
            f"{base.model_id}"
        )
    return _read_weights(folder, form, config, base)


def _read_weights(
    folder: Path, form: AdapterFormat, config: AdapterConfig, base: BaseModel
) -> Adapter:
    with open_file(folder / form.weights_file) as file:
        try:
            tensors = read_open_header(file, form.weights_file)
        except BrokenModel as error:
            raise BadAdapter(str(error)) from error
        pairs = pair_tensors(tensors, config, form, base.targets)
        needed = sum(pair.a.size_bytes + pair.b.size_bytes for pair in pairs)
        if needed > base.max_bytes:
            raise BadAdapter(
                f"its weights are {needed:,} bytes, and memory has room for {base.max_bytes:,}; "
                "raise --memory-budget, or use an adapter of lower rank"
            )
        layers = {pair.path: _read_pair(file, pair) for pair in pairs}
        size = os.fstat(file.fileno()).st_size
    return Adapter(folder, config, layers, _digest(layers.items(), config.scale), size)


def _read_pair(file: BinaryIO, pair: Pair) -> LayerFactors:
    return LayerFactors(_read_factor(file, pair.a), _read_factor(file, pair.b), pair.flipped)


def _read_factor(file: BinaryIO, tensor: TensorInfo) -> Factor:
    file.seek(tensor.start)
    data = file.read(tensor.size_bytes)
    if len(data) != tensor.size_bytes:
        raise BadAdapter("its weights were cut short while they were read")
    return Factor(tensor.dtype, tensor.shape, data)


def _digest(layers: Iterable[tuple[str, LayerFactors]], scale: float) -> str:
    """Hash what the answers depend on; no two different adapters give the same text to hash."""
    hashed = hashlib.sha256(repr(scale).encode())
    for path, layer in layers:
        for factor in (layer.a, layer.b):
            head = (path, factor.dtype, factor.shape, layer.flipped, len(factor.data))
            hashed.update(repr(head).encode(errors="backslashreplace"))
            hashed.update(factor.data)
    return hashed.hexdigest()[:_DIGEST_CHARACTERS]
