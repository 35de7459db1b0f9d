"""Puts a run together: model, adapter, data, optimizer, and where an earlier run stopped."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.utils import maybe_set_recommended_wired_limit

from hub.local_model import LocalModel
from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.finetune.adapters.folder import read_adapter
from jobs.finetune.config import FinetuneConfig
from jobs.finetune.data.encoder import Encoder
from jobs.finetune.data.rows import TRAIN
from jobs.finetune.training.base_model import load_base
from jobs.finetune.training.checkpoint import read_checkpoint
from jobs.finetune.training.dpo import Dpo
from jobs.finetune.training.factors import warm_start
from jobs.finetune.training.history import History
from jobs.finetune.training.lora import LoraLayers, add_lora
from jobs.finetune.training.objectives import Task, build_task
from jobs.finetune.training.optimizer import Optimizer
from jobs.finetune.training.order import Order
from jobs.finetune.training.recompute import needs_replay, save_memory
from jobs.finetune.training.schedule import LearningRate
from jobs.finetune.training.trainer import Trainer, set_weights, weights_of
from jobs.folders import folder_of

# What may differ between a run and the one that goes on from it: the losses stay the same. Model
# and data are known by their content, wherever they lie.
_FREE = frozenset(
    {
        "model_dir",
        "data_dir",
        "adapter_path",
        "steps_per_report",
        "steps_per_eval",
        "val_max_examples",
        "save_checkpoints",
        "grad_checkpoint",
        "mlp_split",
        "segment_size",
    }
)


@dataclass(frozen=True, slots=True)
class Setup:
    """A run that is ready to start. asked: what identifies it, for its checkpoints."""

    config: FinetuneConfig
    folder: Path
    base_model: str
    layers: LoraLayers
    task: Task
    trainer: Trainer
    history: History
    asked: dict[str, Any]


def set_up(config: FinetuneConfig, local: LocalModel, folder: Path, emit: Emitter) -> Setup:
    """Load everything. Raises JobError for whatever is wrong with what was asked."""
    emit.stage("load", 0.0, f"Loading {local.repo_id}")
    earlier = read_checkpoint(folder)
    asked = _identify(config, local)
    if earlier is not None:
        earlier.require_same(asked, folder)
    maybe_set_recommended_wired_limit()
    base = load_base(local)
    emit.log(base.note)
    model = base.model
    mx.random.seed(config.seed)
    layers = add_lora(model, config, base.bits)
    emit.log(_describe(layers))
    if config.warm_start_adapter:
        where = folder_of(config.warm_start_adapter)
        set_weights(model, warm_start(layers, read_adapter(where), str(where)))
    save_memory(model, config)
    emit.stage("data", 0.03, "Reading the data")
    task = build_task(config, model, Encoder(base.tokenizer, base.stop_ids))
    for note in task.notes:
        emit.log(note)
    _compute_references(model, task.references, config.batch_size, emit)
    trainer = _build_trainer(config, model, task, emit)
    if earlier is not None:
        trainer.restore(earlier.state)
        emit.log(f"going on after iteration {earlier.state.iteration:,}")
    history = earlier.history if earlier else History()
    return Setup(config, folder, local.repo_id, layers, task, trainer, history, asked)


def _build_trainer(config: FinetuneConfig, model: Any, task: Task, emit: Emitter) -> Trainer:
    order = Order(
        task.train.lengths, config.batch_size, config.grad_accumulation_steps, config.seed
    )
    if order.batch_size < config.batch_size:
        emit.log(f"batch_size is {order.batch_size:,}: there are no more rows")
    optimizer = Optimizer(
        weights_of(model),
        weight_decay=config.weight_decay,
        ratio=config.lora_plus_ratio,
        clip=config.grad_clip_norm,
    )
    trainer = Trainer(
        model,
        objective=task.train,
        order=order,
        optimizer=optimizer,
        rate=LearningRate.of(config),
        accumulation=config.grad_accumulation_steps,
        seed=config.seed,
        # On a CPU, kernels are built with a compiler at run time, for seconds, to little effect.
        compiled=mx.default_device() != mx.cpu
        and task.train.has_few_shapes
        and not needs_replay(config),
    )
    if left_out := config.iters - trainer.iterations:
        emit.log(f"the last {left_out} of {config.iters:,} iterations make no whole update")
    passes = trainer.iterations * order.batch_size / len(task.train.lengths)
    emit.log(f"{trainer.iterations:,} iterations: {passes:.1f} passes over the rows")
    return trainer


def _compute_references(
    model: Any, objectives: Sequence[Dpo], batch_size: int, emit: Emitter
) -> None:
    total, done = sum(len(objective.lengths) for objective in objectives), 0
    model.eval()
    for objective in objectives:
        for count in objective.compute_reference(model, batch_size):
            before, done = done, done + count
            if before * 100 // total < done * 100 // total:  # a percent more
                message = f"Reference of {done:,}/{total:,} pairs"
                emit.stage("reference", 0.05 + 0.1 * done / total, message)
    model.train()


def _identify(config: FinetuneConfig, local: LocalModel) -> dict[str, Any]:
    asked = {name: value for name, value in config.to_json().items() if name not in _FREE}
    path = folder_of(config.data_dir) / TRAIN
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise JobError(f"{path} not found") from error
    except OSError as error:
        raise JobError(f"{path} cannot be read ({error.strerror})") from error
    identity = {**asked, "training data": digest, "model files": local.snapshot}
    same: dict[str, Any] = json.loads(json.dumps(identity))  # as it will be read back
    return same


def _describe(layers: LoraLayers) -> str:
    ranks = sorted(set(layers.ranks().values()))
    size = sum(m.lora_a.size + m.lora_b.size for m in layers.modules.values())
    rank = f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {ranks[0]} to {ranks[-1]}"
    return (
        f"{len(layers.modules)} layers in the last {layers.num_layers} blocks adapted, {rank}: "
        f"{size:,} weights to train"
    )
