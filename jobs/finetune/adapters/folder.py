"""Adapter folders in memory: read from any format that is known, written in mlx-lm's.

In numpy, without MLX: the web process merges and converts too. Anyone may have made a folder that
is read; sizes are checked before anything is taken in.
"""

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from hub.errors import BrokenModel
from hub.model_files import open_file
from hub.tensors import TensorInfo, read_open_header
from inference.adapters.config import read_config, read_fields
from inference.adapters.errors import BadAdapter
from inference.adapters.formats import AdapterFormat, find_format
from jobs.errors import JobError

WEIGHTS, CONFIG = "adapters.safetensors", "adapter_config.json"
MAX_BYTES = 8 * 2**30
# The path of a layer within its block: of `model.layers.7.self_attn.q_proj` the last two.
_IN_BLOCK = re.compile(r"(?:.*\.)?layers\.\d+\.(?P<key>.+)")
_TYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
}

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Factors:
    """What one layer is changed by: scale * a @ b. a: (inputs, rank), b: (rank, outputs).

    A layer of experts has one matrix for each in front: (experts, inputs, rank) and so on.
    """

    a: Array
    b: Array

    @property
    def rank(self) -> int:
        return int(self.a.shape[-1])

    def padded(self, rank: int) -> "Factors":
        """The same change with a larger rank: mlx-lm takes one rank for all layers."""
        width = [(0, 0)] * (self.a.ndim - 2)
        more = (0, rank - self.rank)
        return Factors(
            np.pad(self.a, [*width, (0, 0), more]), np.pad(self.b, [*width, more, (0, 0)])
        )

    def trimmed(self) -> "Factors":
        """The same change without columns at the end that are all zero, as padding leaves them."""
        used = [
            place
            for place in range(self.rank)
            if self.a[..., :, place].any() or self.b[..., place, :].any()
        ]
        rank = used[-1] + 1 if used else 1
        return Factors(self.a[..., :, :rank], self.b[..., :rank, :])


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter in memory. layers: by path in the model, in order of paths.

    base_model: what it was trained on, as recorded. num_layers: blocks that are adapted, counted
    from the last; -1 for all, or if that is not known. more: further fields of its configuration.
    """

    layers: Mapping[str, Factors]
    scale: float
    base_model: str | None = None
    num_layers: int = -1
    dropout: float = 0.0
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rank(self) -> int:
        return max(factors.rank for factors in self.layers.values())

    @property
    def keys(self) -> list[str]:
        """Paths of the adapted layers within their blocks."""
        return sorted({key_of(path) for path in self.layers})


def key_of(path: str) -> str:
    found = _IN_BLOCK.fullmatch(path)
    return found["key"] if found else path


def read_adapter(folder: Path) -> Adapter:
    """Read an adapter in mlx-lm's or PEFT's format. Raises JobError, naming the folder."""
    try:
        return _read(folder)
    except (BadAdapter, BrokenModel) as error:
        raise JobError(f"{folder}: {error}") from error
    except (OSError, ValueError) as error:
        raise JobError(f"{folder} cannot be read: {error}") from error


def write_adapter(folder: Path, adapter: Adapter) -> None:
    """Write both files into a folder that exists, the configuration last.

    Each replaces an older one in one step, so that a folder that calls itself an adapter is one.
    """
    rank = adapter.rank
    tensors: dict[str, Array] = {}
    for path, factors in adapter.layers.items():
        whole = factors.padded(rank)
        tensors |= {f"{path}.lora_a": _as_stored(whole.a), f"{path}.lora_b": _as_stored(whole.b)}
    draft = _draft(folder / WEIGHTS)
    save_file(tensors, draft, metadata={"format": "mlx"})
    _put(draft, folder / WEIGHTS)
    write_json(folder / CONFIG, _config(adapter, rank))


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a file of JSON in one step."""
    draft = _draft(path)
    draft.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _put(draft, path)


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}")


def _put(draft: Path, path: Path) -> None:
    """Give a file its name once it is on the disk."""
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)


def _config(adapter: Adapter, rank: int) -> dict[str, Any]:
    base = {"base_model": adapter.base_model} if adapter.base_model else {}
    return {
        "fine_tune_type": "lora",
        "num_layers": adapter.num_layers,
        "lora_parameters": {
            "rank": rank,
            "scale": adapter.scale,
            "dropout": adapter.dropout,
            "keys": adapter.keys,
        },
        **base,
        **adapter.more,
    }


def _as_stored(factor: Array) -> Array:
    """mlx-lm keeps the factors of experts transposed."""
    turned = factor.swapaxes(-1, -2) if factor.ndim == 3 else factor
    return np.ascontiguousarray(turned, dtype=np.float32)


def _read(folder: Path) -> Adapter:
    if not folder.is_dir():
        raise JobError(f"{folder} is not a folder of this machine")
    form = find_format(folder)
    fields = read_fields(folder)
    config = read_config(fields)
    form.check(fields)
    layers = _read_layers(folder / form.weights_file, form)
    num_layers, lora = fields.get("num_layers"), fields.get("lora_parameters")
    dropout = lora.get("dropout") if isinstance(lora, Mapping) else None
    return Adapter(
        layers=layers,
        scale=config.scale,
        base_model=config.base_model,
        num_layers=num_layers if type(num_layers) is int and num_layers > 0 else -1,
        dropout=float(dropout) if isinstance(dropout, int | float) else 0.0,
        more={name: fields[name] for name in ("method",) if name in fields},
    )


def _read_layers(path: Path, form: AdapterFormat) -> dict[str, Factors]:
    with open_file(path) as file:
        header = read_open_header(file, path.name)
        if sum(tensor.size_bytes for tensor in header.values()) > MAX_BYTES:
            raise BadAdapter(f"its weights are larger than {MAX_BYTES:,} bytes")
        sides: dict[str, dict[str, Array]] = {}
        for name, tensor in header.items():
            found = form.name.fullmatch(name)
            if found is None:
                raise BadAdapter(f"its tensor {name[:120]} is no factor of a LoRA adapter")
            file.seek(tensor.start)
            data = _to_array(file.read(tensor.size_bytes), tensor, name)
            sides.setdefault(found["layer"], {})[found["side"].lower()] = data
    if not sides:
        raise BadAdapter(f"{path.name} holds no tensors")
    peft = form.weights_file != WEIGHTS
    return {layer: _factors(layer, sides[layer], peft) for layer in sorted(sides)}


def _to_array(data: bytes, tensor: TensorInfo, name: str) -> Array:
    kind = _TYPES.get(tensor.dtype)
    if kind is None:
        known = ", ".join(_TYPES)
        raise BadAdapter(
            f"its tensor {name[:120]} is of type {tensor.dtype[:20]}: {known} are read"
        )
    if len(data) != kind.itemsize * math.prod(tensor.shape) or len(tensor.shape) not in (2, 3):
        raise BadAdapter(f"its tensor {name[:120]} is cut short, or no matrix")
    raw: NDArray[Any] = np.frombuffer(data, kind)
    if tensor.dtype == "BF16":  # the upper half of a float32
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    array: Array = raw.astype(np.float32).reshape(tensor.shape)
    return array


def _factors(layer: str, sides: Mapping[str, Array], peft: bool) -> Factors:
    if set(sides) != {"a", "b"}:
        raise BadAdapter(f"{layer[:120]} lacks one of its two factors")
    a, b = sides["a"], sides["b"]
    if peft or a.ndim == 3:
        a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
    if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
        raise BadAdapter(f"the factors of {layer[:120]} do not fit: {a.shape} and {b.shape}")
    return Factors(a, b)
