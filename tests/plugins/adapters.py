"""Adapters of random factors, written without MLX in the formats that trainers write."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from inference.adapters.target import LayerKind, Target

_NAMES = {"float32": "F32", "float16": "F16", "uint16": "BF16", "float64": "F64"}


def save_tensors(path: Path, tensors: Mapping[str, np.ndarray], metadata: Any = None) -> Path:
    """Write a safetensors file; unsigned 16-bit arrays go as the bits of bfloat16."""
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    at = 0
    for name, array in tensors.items():
        offsets = [at, at := at + array.nbytes]
        kind = _NAMES[array.dtype.name]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
    encoded = json.dumps(header).encode()
    data = b"".join(np.ascontiguousarray(array).tobytes() for array in tensors.values())
    path.write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)
    return path


def random_factors(
    targets: Mapping[str, Target], rank: int, seed: int, strength: float = 0.5
) -> dict[str, np.ndarray]:
    """Factors in mlx-lm's order and names, strong enough to change what is said."""
    numbers = np.random.default_rng(seed)
    tensors: dict[str, np.ndarray] = {}
    for path, target in targets.items():
        a_shape, b_shape = target.shapes(rank)
        a = numbers.standard_normal(a_shape).astype(np.float32) / target.inputs**0.5
        b = numbers.standard_normal(b_shape).astype(np.float32) * strength / rank**0.5
        if target.kind is LayerKind.EMBEDDING:
            a *= target.inputs**0.5
        if target.kind is LayerKind.EXPERTS:
            a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
        tensors[f"{path}.lora_a"], tensors[f"{path}.lora_b"] = a, b
    return tensors


def mlx_lm_config(rank: int, scale: float, keys: Any = None, **fields: Any) -> dict[str, Any]:
    lora = {"rank": rank, "scale": scale, "dropout": 0.0, "keys": keys}
    return {"fine_tune_type": "lora", "num_layers": 2, "lora_parameters": lora, **fields}


def write_config(folder: Path, config: Any, name: str = "adapter_config.json") -> None:
    (folder / name).write_text(json.dumps(config), encoding="utf-8")


def write_adapter(
    folder: Path,
    targets: Mapping[str, Target],
    *,
    rank: int = 4,
    scale: float = 2.0,
    seed: int = 1,
    **fields: Any,
) -> Path:
    """Write an adapter of random factors as mlx-lm does.

    fields: further ones of its configuration.
    """
    folder.mkdir(parents=True, exist_ok=True)
    save_tensors(folder / "adapters.safetensors", random_factors(targets, rank, seed))
    write_config(folder, mlx_lm_config(rank, scale, sorted({*_inner(targets)}), **fields))
    return folder


def write_peft(
    folder: Path,
    targets: Mapping[str, Target],
    *,
    rank: int = 4,
    alpha: float = 8.0,
    seed: int = 1,
    **fields: Any,
) -> Path:
    """Write the adapter of `write_adapter` as PEFT does, with `alpha` in place of the scale."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for name, array in random_factors(targets, rank, seed).items():
        path, side = name[: -len(".lora_a")], name[-1].upper()
        kind = targets[path].kind
        ending = f"embedding_{side}" if kind is LayerKind.EMBEDDING else f"{side}.weight"
        tensors[f"base_model.model.{path}.lora_{ending}"] = array.T
    save_tensors(folder / "adapter_model.safetensors", tensors, {"format": "pt"})
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": alpha, "bias": "none", **fields}
    write_config(folder, config)
    return folder


def _inner(targets: Mapping[str, Target]) -> list[str]:
    """The names by which mlx-lm's configuration calls layers: within a block, or whole."""
    return [re.sub(r".*\blayers\.\d+\.", "", path) for path in targets]


def logits(model: Any, tokens: list[int]) -> Any:
    """What a model answers to tokens without a cache, (1, L, V)."""
    import mlx.core as mx

    return model(mx.array([tokens]), cache=None)
