"""A folder that appears whole or not at all.

It is written beside its place under a hidden name, flushed to disk, and renamed. A lock
keeps two processes from doing so at once; it dies with its process, so whatever a killed
run left behind can be recognised and removed.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def lock(target: Path) -> Iterator[None]:
    """Hold the right to write `target`; waits while another process holds it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with _sibling(target, "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def staged_folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` if the block ends without an exception.

    An existing `target` is replaced then, and untouched otherwise. Call it under `lock`.
    """
    _remove_stale(target)
    # Named by process: a child that outlives a killed run cannot write into the next one's.
    partial, old = _sibling(target, f"partial-{os.getpid()}"), _sibling(target, "old")
    partial.mkdir(parents=True)
    try:
        yield partial
        _flush(partial)
        if target.exists():
            target.rename(old)
        partial.rename(target)
        _flush_entry(target.parent)
    finally:
        _remove_stale(target)


def _remove_stale(target: Path) -> None:
    for suffix in ("partial-*", "old"):
        for stale in target.parent.glob(_sibling(target, suffix).name):
            shutil.rmtree(stale, ignore_errors=True)


def _sibling(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}.{suffix}")


def _flush(folder: Path) -> None:
    for path in folder.rglob("*"):
        _flush_entry(path)
    _flush_entry(folder)


def _flush_entry(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
