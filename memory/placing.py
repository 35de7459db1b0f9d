"""Puts a finished draft in place of a file in one step, and only of the file that is known.

A person may save the same file at any moment, the one before the step among them. So, where the
system can, the draft and the file change places at once: what comes out is what was there, and
goes back if it is not what was known.
"""

import ctypes
import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memory.errors import ChangedMeanwhile
from memory.vault import blob_hash

_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}
_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2, in linux/fs.h
_SWAP = 2  # of renamex_np, in macOS's stdio.h


@contextmanager
def draft_of(path: Path, data: bytes) -> Iterator[Path]:
    """Write a draft beside a file, on the disk; whatever has its name afterwards is removed."""
    descriptor, name = tempfile.mkstemp(
        prefix=f".{path.stem[:40]}.", suffix=".tmp", dir=path.parent
    )
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def place_new(draft: Path, path: Path) -> None:
    """Let the draft be the file. Raises ChangedMeanwhile if something has that name already."""
    draft.chmod(0o644)
    try:
        os.link(draft, path)
    except FileExistsError as error:
        raise ChangedMeanwhile(f"{path.stem} has been written since it was looked for") from error
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _take_name(path)
        draft.replace(path)


def place_over(draft: Path, path: Path, expected: str) -> None:
    """Let the draft be the file, with the file's mode.

    expected: the blob hash of the file. Raises ChangedMeanwhile if it has another one, is a link
    or has gone; then it stays so.
    """
    try:
        draft.chmod(path.stat().st_mode & 0o777)
        if exchange(draft, path):
            if not _holds(draft, expected):
                _give_back(draft, path)
                raise ChangedMeanwhile(f"{path.stem} has been edited since it was read")
            return
        if not _holds(path, expected):
            raise ChangedMeanwhile(f"{path.stem} has been edited since it was read")
        draft.replace(path)
    except FileNotFoundError as error:
        raise ChangedMeanwhile(f"{path.stem} has been deleted since it was read") from error


def exchange(one: Path, other: Path) -> bool:
    """Let two files change names, at once; False where system or disk cannot.

    Raises FileNotFoundError.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        if sys.platform == "darwin":
            failed = libc.renamex_np(os.fsencode(one), os.fsencode(other), _SWAP)
        else:
            names = _AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other)
            failed = libc.renameat2(*names, _EXCHANGE)
    except AttributeError:  # an older system
        return False
    if not failed:
        return True
    if ctypes.get_errno() == errno.ENOENT:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return False  # disks have many ways to say so; what is really wrong, a plain rename tells


def _give_back(draft: Path, path: Path) -> None:
    """Put back what an exchange took out, also where the draft has gone from there since."""
    with suppress(FileNotFoundError):
        if exchange(draft, path):
            return
    draft.replace(path)


def _holds(path: Path, expected: str) -> bool:
    try:
        return not path.is_symlink() and blob_hash(path.read_bytes()) == expected
    except OSError:
        return False


def _take_name(path: Path) -> None:
    """Make an empty file, on disks that know no links. Raises ChangedMeanwhile."""
    try:
        path.open("xb").close()
    except FileExistsError as error:
        raise ChangedMeanwhile(f"{path.stem} has been written since it was looked for") from error
