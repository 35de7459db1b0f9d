"""Puts a finished draft in place of a file in one step, and only of the file that is known.

A person may save the same file at any moment, the one before the step among them. So, where the
system can, the draft and the file change places at once: what comes out is what was there, and
goes back if it is not what was known. What a person wrote is removed by nobody here: where it
cannot go back, it is kept beside the file.
"""

import errno
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from memory.errors import ChangedMeanwhile
from memory.exchanging import exchange
from memory.vault import blob_hash

logger = logging.getLogger(__name__)

MOST_RETURNS = 5  # of what a person saves again and again just then
_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK}
_Mark = tuple[int, int, str]
"""Device, inode and content of a file: other than before, once anybody has written to it."""


@contextmanager
def draft_of(path: Path, data: bytes) -> Iterator[Path]:
    """Write a draft beside a file, on the disk.

    Afterwards it is removed; what else has its name by then is a person's, and is kept.
    """
    descriptor, name = tempfile.mkstemp(
        prefix=f".{path.stem[:40]}.", suffix=".tmp", dir=path.parent
    )
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        own = _mark(draft)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    try:
        yield draft
    finally:
        if os.path.lexists(draft):
            if _mark(draft) == own:
                draft.unlink(missing_ok=True)
            else:
                _keep(draft, path)


def place_new(draft: Path, path: Path) -> None:
    """Let the draft be the file. Raises ChangedMeanwhile if something has that name already."""
    draft.chmod(0o644)
    try:
        _name_anew(draft, path)
    except FileExistsError as error:
        raise ChangedMeanwhile(f"{path.stem} has been written since it was looked for") from error


def place_over(draft: Path, path: Path, expected: str) -> None:
    """Let the draft be the file, with the file's mode.

    expected: the blob hash of the file. Raises ChangedMeanwhile if it has another one, is a link
    or has gone; then it stays so.
    """
    try:
        draft.chmod(path.stat().st_mode & 0o777)
        own = _mark(draft)
        if exchange(draft, path):
            if not _holds(draft, expected):
                _give_back(draft, path, own)
                raise ChangedMeanwhile(f"{path.stem} has been edited since it was read")
            draft.unlink(missing_ok=True)
            return
        if not _holds(path, expected):
            raise ChangedMeanwhile(f"{path.stem} has been edited since it was read")
        draft.replace(path)
    except FileNotFoundError as error:
        raise ChangedMeanwhile(f"{path.stem} has been deleted since it was read") from error


def _give_back(out: Path, path: Path, put: _Mark) -> None:
    """Put back what an exchange took out.

    put: what the exchange put in its place. If something else comes out for it, somebody has
    saved the file since, and that is what goes back.
    """
    for _ in range(MOST_RETURNS):
        returned = _mark(out)
        try:
            if not exchange(out, path):
                if _mark(path) == put:
                    out.replace(path)
                return
        except FileNotFoundError:  # what was put there has gone since
            try:
                _name_anew(out, path)
            except FileExistsError:
                continue
            return
        if _mark(out) == put:  # nobody has written to it: what it was is in place, or saved over
            out.unlink()
            return
        put = returned


def _keep(out: Path, path: Path) -> None:
    """Give what a person wrote a name that is seen, and that no page has."""
    for number in count(1):
        kept = path.with_name(f"{path.stem[:50]}.kept{f'-{number}' if number > 1 else ''}.txt")
        try:
            _name_anew(out, kept)
        except FileExistsError:
            continue
        except OSError:
            kept = out
        break
    logger.warning("%s was saved again and again; an edit of it is kept as %s", path.name, kept)


def _name_anew(file: Path, path: Path) -> None:
    """Give a file another name. Raises FileExistsError, and no file is replaced."""
    try:
        os.link(file, path, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        path.open("xb").close()
        file.replace(path)
        return
    file.unlink()


def _mark(path: Path) -> _Mark:
    """Raises FileNotFoundError."""
    status = path.lstat()
    try:
        held = str(path.readlink()) if path.is_symlink() else blob_hash(path.read_bytes())
    except FileNotFoundError:
        raise
    except OSError:  # it may not be read: not what was written here
        held = ""
    return status.st_dev, status.st_ino, held


def _holds(path: Path, expected: str) -> bool:
    try:
        return not path.is_symlink() and blob_hash(path.read_bytes()) == expected
    except OSError:
        return False
