"""Loads the model that an adapter is trained for, in the form that trains fastest here.

The same choices as for serving: float32 on a CPU, where half precision is some fifty times
slower; bfloat16 on CUDA; on both, quantized weights expanded if that takes at most half of the
usable memory, since gradients and a server's own model need room as well. On Metal as stored.
"""

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.utils import dequantize_model, load_model
from transformers import AutoTokenizer

from hub import fit
from hub.errors import BrokenModel
from hub.local_model import LocalModel
from hub.machine import ram_bytes
from hub.model_files import read_object
from jobs.errors import JobError

BYTES = {mx.float32: 4, mx.bfloat16: 2}


@dataclass(frozen=True, slots=True)
class BaseModel:
    """A frozen model in memory.

    bits: width of each quantized module in the files, by path; they may be expanded here.
    note: one line on how it was loaded.
    """

    model: Any
    tokenizer: Any
    stop_ids: frozenset[int]
    bits: dict[str, int]
    note: str


def load_base(local: LocalModel) -> BaseModel:
    """Load model and tokenizer; runs no code of the folder. Raises JobError."""
    try:
        return _load(local)
    # What mlx, mlx-lm and transformers raise for files that they cannot read.
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise JobError(f"{local.repo_id} cannot be loaded: {error}") from error


def _load(local: LocalModel) -> BaseModel:
    model, config = load_model(local.path, lazy=True, trust_remote_code=False)
    tokenizer = AutoTokenizer.from_pretrained(
        local.path, local_files_only=True, trust_remote_code=False
    )
    bits = {path: module.bits for path, module in model.named_modules() if "scales" in module}
    dtype = _dtype()
    dense = bool(bits) and dtype is not None and _fits_dense(local, BYTES[dtype])
    if dtype is not None:
        model.set_dtype(dtype)
    if dense:
        dequantize_model(model)
    model.freeze()
    mx.eval(model.parameters())
    form = "as stored" if dtype is None else str(dtype).removeprefix("mlx.core.")
    note = f"{local.repo_id}: {form}{', weights expanded' if dense else ''}"
    return BaseModel(model, tokenizer, _stop_ids(local.path, config), bits, note)


def _dtype() -> mx.Dtype | None:
    if mx.metal.is_available():
        return None
    return mx.bfloat16 if mx.cuda.is_available() else mx.float32


def _fits_dense(local: LocalModel, number_bytes: int) -> bool:
    whole = local.weights.whole
    memory = ram_bytes()
    if mx.cuda.is_available():
        size = mx.device_info().get("total_memory")
        memory = size if isinstance(size, int) else memory
    expanded = (whole.packed_elements + whole.plain_elements) * number_bytes
    return expanded <= fit.usable_bytes(memory) // 2


def _stop_ids(folder: Path, config: dict[str, Any]) -> frozenset[int]:
    """End-of-turn tokens that the model's files name."""
    named = [config.get("eos_token_id")]
    with contextlib.suppress(BrokenModel):  # not every model has one
        named.append(read_object(folder / "generation_config.json").get("eos_token_id"))
    ids = [each if isinstance(each, list) else [each] for each in named]
    return frozenset(token for group in ids for token in group if isinstance(token, int))
