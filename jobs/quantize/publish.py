"""Puts a finished model into the Hugging Face cache: whole, or not at all.

It is written into a hidden folder of the cache, flushed, and shown by a rename. A lock keeps
other processes from the repo meanwhile; it dies with its process. What a process leaves that
is killed is removed by another, which does nothing but wait for its end; and should that be
killed too, as when the machine stops, by the next one who writes.
"""

import os
import secrets
import shutil
import subprocess
import sys
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
_MARK = ".unfinished-"
_SCRATCH = "scratch"
_SWEEPER = """\
import shutil, sys
sys.stdin.buffer.read()
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


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
        place = repo.cache_dir / f".{repo.folder_name}{_MARK}{secrets.token_hex(4)}"
        stage = Stage(place / SNAPSHOTS / destination.commit, place / _SCRATCH)
        with _swept(place):
            stage.folder.mkdir(parents=True)
            stage.scratch.mkdir()
            yield stage
            shutil.rmtree(stage.scratch)
            _flush(stage.folder)
            _show(place, stage.folder, destination)


def remove_unfinished(cache_dir: Path, *, holding: FileLock | None = None) -> None:
    """Delete what killed runs have left in the cache. holding: a lock of the caller's own."""
    for place in cache_dir.glob(f".{CACHE_PREFIX}*{_MARK}*"):
        repo = CachedRepo(cache_dir, place.name.removeprefix(".").rpartition(_MARK)[0])
        with repo.lock() as lock:
            if (holding and holding.path == lock.path) or lock.acquire():
                shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _swept(place: Path) -> Iterator[None]:
    """Remove a folder at the end of the block, and also if this process does not live to see it.

    The sweeper is in a session of its own: who kills this process may kill its whole group.
    """
    sweeper = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _SWEEPER, str(place)],
        stdin=subprocess.PIPE,  # its end is the end of this process
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with sweeper:
        try:
            yield
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _show(place: Path, folder: Path, destination: Destination) -> None:
    repo = destination.repo
    if not repo.folder.exists():
        (place / "refs").mkdir()
        (place / "refs" / MAIN).write_text(destination.commit, encoding="utf-8")
        place.rename(repo.folder)
    else:
        # The old result goes to the place of the new one, and with it.
        repo.snapshots.mkdir(exist_ok=True)
        if destination.folder.exists():
            destination.folder.rename(place / "replaced")
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
