"""Puts a finished model into the Hugging Face cache: whole, or not at all.

It is written into a hidden folder of the cache, flushed, and shown by a rename. A lock keeps
other processes from the repo meanwhile; it dies with its process, so that whatever a killed
run left can be told from what is being written, and removed.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.file_lock import FileLock
from hub.folders import CACHE_PREFIX, SNAPSHOTS
from jobs.quantize.errors import QuantizeError
from jobs.quantize.naming import Destination

MAIN = "main"
_MARK = ".unfinished"
_SCRATCH = "scratch"


@dataclass(frozen=True, slots=True)
class Stage:
    """folder: becomes the model. scratch: for what is needed until then. Both are there, empty."""

    folder: Path
    scratch: Path


@contextmanager
def staged(destination: Destination) -> Iterator[Stage]:
    """Yield a stage whose folder becomes the destination if the block ends without an exception.

    An earlier result is replaced then; other snapshots of the repo stay. Whatever ends the
    block, nothing half done is left. Raises QuantizeError if another process writes this repo.
    """
    repo = destination.repo
    with repo.lock() as lock:
        if not lock.acquire():
            raise QuantizeError(f"another process is writing {destination.repo_id}: wait for it")
        remove_unfinished(repo.cache_dir, holding=lock)
        stage = repo.cache_dir / f".{repo.folder_name}{_MARK}"
        folder = stage / SNAPSHOTS / destination.commit
        try:
            folder.mkdir(parents=True)
            (stage / _SCRATCH).mkdir()
            yield Stage(folder, stage / _SCRATCH)
            shutil.rmtree(stage / _SCRATCH)
            _flush(folder)
            _show(stage, folder, destination)
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def remove_unfinished(cache_dir: Path, *, holding: FileLock | None = None) -> None:
    """Delete what killed runs have left in the cache. holding: a lock of the caller's own."""
    for stage in cache_dir.glob(f".{CACHE_PREFIX}*{_MARK}"):
        repo = CachedRepo(cache_dir, stage.name.removeprefix(".").removesuffix(_MARK))
        with repo.lock() as lock:
            if (holding and holding.path == lock.path) or lock.acquire():
                shutil.rmtree(stage, ignore_errors=True)


def _show(stage: Path, folder: Path, destination: Destination) -> None:
    repo = destination.repo
    if not repo.folder.exists():
        (stage / "refs").mkdir()
        (stage / "refs" / MAIN).write_text(destination.commit, encoding="utf-8")
        stage.rename(repo.folder)
    else:
        # The old result goes into the stage, and with it.
        repo.snapshots.mkdir(exist_ok=True)
        if destination.folder.exists():
            destination.folder.rename(stage / "replaced")
        folder.rename(destination.folder)
        repo.write_ref(MAIN, destination.commit)
    _flush_entry(repo.cache_dir)


def _flush(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        _flush_entry(path)


def _flush_entry(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
