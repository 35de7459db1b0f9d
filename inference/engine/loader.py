"""Turns a model folder into a model ready to run, under the backend policy.

Everything here must run on the engine thread: the arrays belong to it afterwards.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import _get_classes, dequantize_model, load_model

from hub.density import WeightsOption
from inference.adapters.target import Target
from inference.engine.adapters.targets import find_targets, usual_dtype
from inference.engine.backend import (
    BackendChoice,
    BackendFacts,
    Device,
    choose_backend,
)
from inference.engine.batch_probe import can_batch
from inference.engine.cache.choice import choose_scheme
from inference.engine.cache.kinds import keeps_every_token
from inference.engine.cache.scheme import KvScheme
from inference.engine.cuda.accelerate import accelerate
from inference.engine.load_watch import UNWATCHED, LoadWatch
from inference.kv_quant import OFF, KvQuant

_READ_BYTES = 256 * 2**20  # of weights, between two looks at who is watching


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model in memory and how it is run.

    model: callable as `model(tokens (B, L), cache=layer caches) -> logits (B, L, V)`.
    weight_bytes: what its parameters occupy now.
    can_batch: whether rows can share a step.
    cuts_anywhere: whether a cached prompt can be cut to any shorter one.
    scheme: how its keys and values are kept.
    bare: mlx-lm's own model, which `model` is or calls.
    targets, compute: its layers that can carry adapters, and the type that they compute with.
    """

    model: Any
    backend: BackendChoice
    weight_bytes: int
    can_batch: bool
    cuts_anywhere: bool
    scheme: KvScheme
    bare: Any
    targets: Mapping[str, Target]
    compute: mx.Dtype


def detect_device() -> Device:
    """Return the device that MLX computes on by default."""
    if mx.metal.is_available():
        return Device.METAL
    return Device.CUDA if mx.cuda.is_available() else Device.CPU


def device_memory_bytes() -> int | None:
    """Return the memory of a CUDA card; None where the model shares the machine's RAM."""
    if not mx.cuda.is_available():
        return None
    size = mx.device_info().get("total_memory")
    return size if isinstance(size, int) else None


def load(
    path: Path,
    option: WeightsOption,
    room_bytes: int,
    find_classes: Callable[..., tuple[type, type]] | None = None,
    watch: LoadWatch = UNWATCHED,
    *,
    kv_quant: KvQuant = OFF,
) -> LoadedModel:
    """Load the checkpoint in `path`; never runs code that the folder brings along.

    room_bytes: memory the weights may take when expanded.
    find_classes: chooses the classes of the model and its arguments by its config; without,
        mlx-lm does.
    kv_quant: how keys and values are to be kept; KvQuantRefused where they cannot.
    Raises what mlx-lm raises for folders it cannot load (ValueError, FileNotFoundError), and
    what `watch` raises.
    """
    # Lazily, so that a checkpoint that will be expanded is never in memory twice.
    model, _ = load_model(
        path, lazy=True, get_model_classes=find_classes or _get_classes, trust_remote_code=False
    )
    backend = choose_backend(
        BackendFacts(detect_device(), _is_quantized(model), _count_dense(model), room_bytes),
        option,
    )
    if backend.dtype is not None:
        model.set_dtype(getattr(mx, backend.dtype))
    if backend.dense:
        dequantize_model(model)
    _read_weights(model, watch)
    bare, targets, compute = model, find_targets(model), usual_dtype(model)
    if backend.device is Device.CUDA:
        model = accelerate(model)
    _warm_up(model)
    weight_bytes = sum(array.nbytes for _, array in _parameters(model))
    scheme = choose_scheme(model, kv_quant, path)
    return LoadedModel(
        model=model,
        backend=backend,
        weight_bytes=weight_bytes,
        can_batch=can_batch(model, scheme),
        cuts_anywhere=keeps_every_token(scheme.make_caches(model)),
        scheme=scheme,
        bare=bare,
        targets=targets,
        compute=compute,
    )


def _read_weights(model: Any, watch: LoadWatch) -> None:
    """Bring the weights into memory, piece by piece."""
    arrays = [array for _, array in _parameters(model)]
    watch.opened(sum(array.nbytes for array in arrays))
    piece: list[mx.array] = []
    done = size = 0
    for array in arrays:
        piece.append(array)
        size += array.nbytes
        if size >= _READ_BYTES or array is arrays[-1]:
            mx.eval(piece)
            done += size
            piece, size = [], 0
            watch.loaded(done)


def _parameters(model: Any) -> list[tuple[str, mx.array]]:
    parameters: Any = tree_flatten(model.parameters())
    return list(parameters)


def _is_quantized(model: Any) -> bool:
    return any("scales" in module for _, module in model.named_modules())


def _count_dense(model: Any) -> int:
    """Count the weights as if none were packed."""
    count = 0
    for _, module in model.named_modules():
        packed = "scales" in module
        for name, value in module.items():
            if not isinstance(value, mx.array):
                continue
            if packed and name == "weight":
                count += value.size * 32 // module.bits
            elif not (packed and name in ("scales", "biases")):
                count += value.size
    return count


def _warm_up(model: Any) -> None:
    """Run a prompt and a step: on CUDA, the first of a shape compile for tens of seconds."""
    caches = make_prompt_cache(model)
    tokens = mx.zeros((1, 4), dtype=mx.int32)
    mx.eval(model(tokens, cache=caches))
    mx.eval(model(tokens[:, :1], cache=caches))
    mx.clear_cache()
