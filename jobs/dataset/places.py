"""Where datasets lie: a folder each below the cache, whole or not at all."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from hub.file_lock import FileLock
from jobs.dataset.errors import DatasetError

FOLDER = "datasets"
_MARK = ".unfinished"
_LOCK = ".lock"
NEW_SECONDS = 60.0


def new_folder(template_id: str) -> Path:
    """Create a folder for a dataset, empty and nobody else's. Raises DatasetError."""
    cache: Path = settings.CACHE_DIR
    stem = f"dataset-{template_id}-{time.strftime('%Y%m%d-%H%M%S')}"
    number = 1
    while True:
        folder = cache / FOLDER / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError as error:
            if not folder.parent.is_dir():
                raise DatasetError(f"{folder.parent} is no folder: move it away") from error
            number += 1
        except OSError as error:
            raise DatasetError(f"{folder} cannot be made ({error.strerror})") from error
        else:
            return folder


def drop(folder: Path) -> None:
    """Remove a folder that nothing was put in; any other stays."""
    with contextlib.suppress(OSError):
        folder.rmdir()


@contextlib.contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes `folder`, which is empty or not there, by a rename.

    If the block raises, neither is left. What killed jobs have left beside it goes as well.
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
    finally:
        drop(folder)


def _remove_unfinished(parent: Path) -> None:
    for stage in parent.glob(f".*{_MARK}"):
        # One that was made just now may have no lock yet.
        is_new = time.time() - stage.stat().st_mtime < NEW_SECONDS
        if not is_new and not FileLock(stage / _LOCK).is_held():
            shutil.rmtree(stage, ignore_errors=True)
