"""Adapters for the PEFT library, and from it.

PEFT keeps both factors transposed, `base_model.model.<layer>.lora_A.weight` (rank, inputs) and
`.lora_B.weight` (outputs, rank), and the scale as `lora_alpha / r`.
"""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from hub.starter.staging import staged_folder
from jobs.errors import JobError
from jobs.finetune.adapters.folder import (
    CONFIG,
    Adapter,
    read_adapter,
    write_adapter,
    write_json,
)

PEFT_WEIGHTS = "adapter_model.safetensors"


def export_to_peft(source: Path, target: Path, base_model: str | None = None) -> None:
    """Write an adapter as PEFT's library reads it; `target` appears whole or not at all.

    base_model: what to record; by default what the adapter does. Raises JobError.
    """
    adapter = read_adapter(source)
    experts = [path for path, factors in adapter.layers.items() if factors.a.ndim != 2]
    if experts:
        raise JobError(f"{source}: {experts[0]} adapts experts, for which PEFT has no format")
    target.parent.mkdir(parents=True, exist_ok=True)
    with staged_folder(target) as folder:
        _write_peft(folder, adapter, base_model or adapter.base_model)


def import_from_peft(source: Path, target: Path) -> None:
    """Write an adapter of PEFT's as mlx-lm and the server read it. Raises JobError."""
    if not (source / PEFT_WEIGHTS).is_file():
        raise JobError(f"{source} has no {PEFT_WEIGHTS}; it is no adapter of PEFT's")
    adapter = read_adapter(source)
    target.parent.mkdir(parents=True, exist_ok=True)
    with staged_folder(target) as folder:
        write_adapter(folder, adapter)


def _write_peft(folder: Path, adapter: Adapter, base_model: str | None) -> None:
    rank = adapter.rank
    tensors = {}
    for path, factors in adapter.layers.items():
        whole = factors.padded(rank)
        stem = f"base_model.model.{path}"
        tensors[f"{stem}.lora_A.weight"] = np.ascontiguousarray(whole.a.T)
        tensors[f"{stem}.lora_B.weight"] = np.ascontiguousarray(whole.b.T)
    save_file(tensors, folder / PEFT_WEIGHTS, metadata={"format": "pt"})
    write_json(
        folder / CONFIG,
        {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": base_model,
            "r": rank,
            "lora_alpha": adapter.scale * rank,
            "lora_dropout": adapter.dropout,
            "target_modules": sorted({key.rpartition(".")[2] for key in adapter.keys}),
            "bias": "none",
            "use_rslora": False,
            "inference_mode": True,
        },
    )
