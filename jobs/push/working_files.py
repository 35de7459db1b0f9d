"""What a run of training keeps in its adapter's folder for itself, and nobody means to publish."""

from pathlib import Path

from hub.uploads.folder import LeftOut, nothing
from inference.adapters.config import has_config
from jobs.finetune.places import CHECKPOINTS


def working_files(folder: Path) -> LeftOut:
    """Tell which files of a folder are of that kind; none is where there is no adapter."""
    try:
        return _is_working if has_config(folder) else nothing
    except OSError:
        return nothing


def _is_working(name: str) -> bool:
    """Checkpoints, which tell what was asked for; locks, and drafts of files, whose names hide."""
    first, *rest = name.split("/")
    return first == CHECKPOINTS or any(part.startswith(".") for part in (first, *rest))
