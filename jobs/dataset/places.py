"""Where datasets lie: a folder each below the cache, whole or not at all."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.conf import settings

from hub.file_lock import FileLock
from jobs.dataset.errors import DatasetError

FOLDER = "datasets"
_MARK = ".unfinished"
_LOCK = ".lock"
NEW_SECONDS = 60.0


def new_folder(template_id: str) -> Path:
    """Name a folder that no other dataset has. It is made when there is something to put in it."""
    cache: Path = settings.CACHE_DIR
    moment = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    return cache / FOLDER / f"dataset-{template_id}-{moment}"


@contextlib.contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes `folder`, which is empty or not there, by a rename.

    If the block raises, nothing of it is left. What killed jobs have left beside it goes as well.
    Raises DatasetError if the folder has something in it, or cannot be written.
    """
    stage = folder.parent / f".{folder.name}{_MARK}"
    try:
        _remove_unfinished(folder.parent)
        stage.mkdir(parents=True)
        try:
            with FileLock(stage / _LOCK) as lock:
                lock.acquire()
                yield stage
                lock.path.unlink()
                stage.rename(folder)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise DatasetError(
            f"{folder} cannot be written ({error.strerror}): free some space, or name a new folder"
        ) from error


def _remove_unfinished(parent: Path) -> None:
    for stage in parent.glob(f".*{_MARK}"):
        # One that was made just now may have no lock yet.
        is_new = time.time() - stage.stat().st_mtime < NEW_SECONDS
        if not is_new and not FileLock(stage / _LOCK).is_held():
            shutil.rmtree(stage, ignore_errors=True)
