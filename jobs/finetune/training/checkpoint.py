"""Checkpoints: what a run needs to go on as if it had never stopped.

`<adapter_path>/checkpoints/0000100/` is an adapter like any other, made after iteration 100. The
newest one also holds the state of the run: the weights as they are, the optimizer's moments, the
measurements, and what was asked for. It appears whole or not at all.
"""

import contextlib
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx

from hub.starter.staging import staged_folder
from jobs.errors import JobError
from jobs.finetune.adapters.folder import CONFIG, Adapter, write_adapter, write_json
from jobs.finetune.places import CHECKPOINTS
from jobs.finetune.training.history import History
from jobs.finetune.training.optimizer import Weights
from jobs.finetune.training.trainer import State

STATE, PROGRESS = "state.safetensors", "progress.json"
_WEIGHT, _MOMENT = "weight|", "moment|"
# What a run that was killed leaves of a checkpoint that it was writing.
_PARTIAL = re.compile(r"\.\d+\.(old|partial-\d+)")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a run is. asked: what it was asked to do."""

    state: State
    history: History
    asked: dict[str, Any]

    def require_same(self, asked: Mapping[str, Any], folder: Path) -> None:
        """Raise JobError if the run was asked for something else than what is asked now."""
        for name, value in asked.items():
            if self.asked.get(name) != value:
                raise JobError(
                    f"{folder} holds an unfinished run with {name} {self.asked.get(name)!r}, and "
                    f"{value!r} is asked now; ask for the same to go on, or name another "
                    "adapter_path"
                )


def write_checkpoint(folder: Path, checkpoint: Checkpoint, adapter: Adapter) -> None:
    """Write a checkpoint into an adapter's folder. adapter: its weights, as others read them."""
    state = checkpoint.state
    target = folder / CHECKPOINTS / f"{state.iteration:07d}"
    target.parent.mkdir(parents=True, exist_ok=True)
    arrays = {_WEIGHT + path: value for path, value in state.weights.items()}
    arrays |= {_MOMENT + name: value for name, value in state.moments.items()}
    with staged_folder(target) as draft:
        write_adapter(draft, adapter)
        mx.save_safetensors(str(draft / STATE), arrays)
        write_json(
            draft / PROGRESS,
            {
                "iteration": state.iteration,
                "history": checkpoint.history.to_json(),
                "asked": checkpoint.asked,
            },
        )
    for older in _checkpoints(folder):
        if older != target:
            _drop_state(older)


def read_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the newest state in an adapter's folder, or None. Raises JobError if it is broken."""
    for checkpoint in reversed(_checkpoints(folder)):
        if (checkpoint / PROGRESS).is_file():
            return _read(checkpoint)
    return None


def drop_states(folder: Path) -> None:
    """Forget how to go on: the run is over. The adapters of all checkpoints stay."""
    for checkpoint in _checkpoints(folder):
        _drop_state(checkpoint)


def require_place(folder: Path) -> None:
    """Raise JobError unless the folder is new, empty, or one with a run to go on with."""
    if not folder.exists() or read_checkpoint(folder) is not None:
        return
    if not folder.is_dir():
        raise JobError(f"adapter_path {folder} is a file; name a folder")
    if any(map(_counts, folder.iterdir())):
        what = "holds an adapter" if (folder / CONFIG).exists() else "is not empty"
        raise JobError(f"adapter_path {folder} {what}; name another folder, or delete it")


def remove_partials(folder: Path) -> None:
    """Remove what killed runs have left of checkpoints, and their folder if it holds no other."""
    place = folder / CHECKPOINTS
    for path in place.glob(".*"):
        if _PARTIAL.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        place.rmdir()


def _counts(path: Path) -> bool:
    """Whether something in an adapter's folder keeps a new run out."""
    if path.name == CHECKPOINTS and path.is_dir():
        return not all(_PARTIAL.fullmatch(part.name) for part in path.iterdir())
    return not path.name.startswith(".")


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / CHECKPOINTS).glob("[0-9]*") if path.is_dir())


def _drop_state(checkpoint: Path) -> None:
    # PROGRESS first: without it, nobody reads the rest.
    for name in (PROGRESS, STATE):
        with contextlib.suppress(FileNotFoundError):
            (checkpoint / name).unlink()


def _read(checkpoint: Path) -> Checkpoint:
    try:
        progress = json.loads((checkpoint / PROGRESS).read_text(encoding="utf-8"))
        arrays: Any = mx.load(str(checkpoint / STATE))
        return Checkpoint(
            state=State(
                iteration=int(progress["iteration"]),
                weights=_under(_WEIGHT, arrays),
                moments=_under(_MOMENT, arrays),
            ),
            history=History.from_json(progress["history"]),
            asked=dict(progress["asked"]),
        )
    except (OSError, RuntimeError, KeyError, TypeError, ValueError) as error:
        raise JobError(
            f"{checkpoint} cannot be read ({error}); delete it, or name another adapter_path"
        ) from error


def _under(prefix: str, arrays: Mapping[str, mx.array]) -> Weights:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
