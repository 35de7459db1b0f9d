"""What is merged and converted does in a model what it should."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_unflatten
from mlx_lm.tuner.utils import load_adapters
from mlx_lm.utils import load_model

from jobs.finetune.adapters.merge import merge_folders
from jobs.finetune.adapters.peft import export_to_peft, import_from_peft
from tests.mlx.jobs.finetune.conftest import Finetune

PROBE = mx.arange(12)[None]
Checkpoint = Callable[[str], Path]


def fused(model: Any, adapter: Path) -> Any:
    """The model with an adapter's change worked into its weights."""
    load_adapters(model, str(adapter))
    layers = [(path, module.fuse()) for path, module in model.named_modules() if "lora_a" in module]
    model.update_modules(tree_unflatten(layers))
    return model


def test_a_merged_adapter_does_what_both_do(
    finetune: Finetune, tiny_checkpoint: Checkpoint, tmp_path: Path
) -> None:
    one = finetune(rank=2, scale=3.0, target_modules=["q_proj", "up_proj"])
    other = finetune(rank=3, seed=5, num_layers=1, target_modules=["q_proj", "v_proj"])

    merge_folders((one.folder, other.folder), tmp_path / "merged")

    both = load_model(tiny_checkpoint("llama"))[0]
    for run in (one, other):
        both = fused(both, run.folder)
    merged = load_adapters(load_model(tiny_checkpoint("llama"))[0], str(tmp_path / "merged"))
    merged.eval()
    assert mx.allclose(merged(PROBE), both(PROBE), rtol=1e-4, atol=1e-4).item()


def test_an_adapter_that_was_at_peft_does_the_same(
    finetune: Finetune, tiny_checkpoint: Checkpoint, tmp_path: Path
) -> None:
    run = finetune(rank=2, scale=3.0)

    export_to_peft(run.folder, tmp_path / "peft")
    import_from_peft(tmp_path / "peft", tmp_path / "back")

    before, after = (
        load_adapters(load_model(tiny_checkpoint("llama"))[0], str(folder))
        for folder in (run.folder, tmp_path / "back")
    )
    assert mx.array_equal(before(PROBE), after(PROBE)).item()
