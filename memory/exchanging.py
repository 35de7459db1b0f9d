"""Lets two files change names at once, by what Linux and macOS have for it."""

import ctypes
import errno
import os
import sys
from pathlib import Path

_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2, in linux/fs.h
_SWAP = 2  # of renamex_np, in macOS's stdio.h


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
