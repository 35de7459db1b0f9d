"""Where results go unless a place is named: below the cache folder."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

CHECKPOINTS = "checkpoints"
"""The folder within an adapter's in which a run keeps how to go on."""


def new_adapter() -> Path:
    """Create a folder for an adapter, empty and nobody else's."""
    return _create("adapters", "adapter")


@contextlib.contextmanager
def new_merge() -> Iterator[Path]:
    """Yield a new folder for a merged adapter; it is removed if the block raises."""
    with _created("adapters", "merged") as folder:
        yield folder


@contextlib.contextmanager
def new_export() -> Iterator[Path]:
    """Yield a new folder for an export; it is removed if the block raises."""
    with _created("exports", "export") as folder:
        yield folder


@contextlib.contextmanager
def _created(kind: str, name: str) -> Iterator[Path]:
    folder = _create(kind, name)
    try:
        yield folder
    except BaseException:
        with contextlib.suppress(OSError):
            folder.rmdir()  # nothing was put in it
        raise


def _create(kind: str, name: str) -> Path:
    cache: Path = settings.CACHE_DIR
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    number = 1
    while True:
        folder = cache / kind / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder
