"""Fine-tuning as a job: the entry point of its process, which alone loads MLX."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from hub import in_use
from hub.errors import HubError
from hub.file_lock import FileLock
from hub.registry import resolve, scan
from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.finetune.config import read_config, unknown_names
from jobs.finetune.training.checkpoint import remove_partials, require_place
from jobs.finetune.training.session import Session
from jobs.finetune.training.setup import set_up
from jobs.folders import folder_of
from jobs.outcome import Outcome

LOCK = ".training.lock"


def run(config: dict[str, Any], emit: Emitter) -> Outcome:
    """Train an adapter as submitted, or go on with a run of the same that was interrupted.

    Raises JobError for what the user must read. Interrupted by any exception, it keeps what was
    learned so far.
    """
    asked = read_config(config)
    for name in unknown_names(config):
        emit.log(f"{name} means nothing here and was passed over")
    folder = folder_of(asked.adapter_path)
    folder_of(asked.model_dir)  # a name may look like one, but nothing that no path can be
    try:
        local = resolve(asked.model_dir, scan(settings.HUB).models)
    except HubError as error:
        raise JobError(f"model_dir: {error}") from error
    with _claimed(folder), in_use.marked(local.path):
        require_place(folder)
        remove_partials(folder)
        return Session(set_up(asked, local, folder, emit), emit).run()


@contextlib.contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, which is created, and removed if nothing gets into it."""
    lock = FileLock(folder / LOCK)
    try:
        free = lock.acquire()
    except OSError as error:
        raise JobError(f"adapter_path {folder} cannot be written ({error.strerror})") from error
    if not free:
        raise JobError(f"another run writes to {folder} now; wait, or name another folder")
    with lock:
        try:
            yield
        finally:
            lock.path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                folder.rmdir()
