"""Landlock: which files the process may touch, whatever the user may otherwise.

Source: the kernel's documentation, userspace-api/landlock. In Linux since 5.13; where it is
missing or turned off, nothing happens here.
"""

import contextlib
import ctypes
import os
import sys
from pathlib import Path

from jobs.dataset.sandbox.linux import system

EXECUTE, READ_FILE, READ_DIR = 1 << 0, 1 << 2, 1 << 3
WRITE_FILE = 1 << 1
READS = EXECUTE | READ_FILE | READ_DIR
# How many kinds of access each version of the interface knows, from the first.
NUM_KINDS = (13, 14, 15, 15, 16)
_FILE_KINDS = EXECUTE | WRITE_FILE | READ_FILE
_VERSION_FLAG, _PATH_BENEATH = 1, 1
# Where an interpreter finds its library; the time zones; what random numbers come from.
READABLE = (
    *dict.fromkeys((sys.base_prefix, sys.base_exec_prefix)),
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
)


class _Ruleset(ctypes.Structure):
    _fields_ = [("handled_access_fs", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [
        ("allowed_access", ctypes.c_uint64),
        ("parent_fd", ctypes.c_int32),
    ]


def restrict(folder: Path) -> None:
    """Leave to the process this folder, and the standard library to read."""
    with contextlib.suppress(OSError):
        version = system.syscall(system.LANDLOCK_CREATE_RULESET, None, 0, _VERSION_FLAG)
        handled = (1 << NUM_KINDS[min(version, len(NUM_KINDS)) - 1]) - 1
        asked = _Ruleset(handled)
        rules = system.syscall(
            system.LANDLOCK_CREATE_RULESET, ctypes.byref(asked), ctypes.sizeof(asked), 0
        )
        try:
            _allow(rules, str(folder), handled)
            for path in READABLE:
                _allow(rules, path, READS & handled)
            _allow(rules, os.devnull, (READ_FILE | WRITE_FILE) & handled)
            system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
            system.syscall(system.LANDLOCK_RESTRICT_SELF, rules, 0)
        finally:
            os.close(rules)


def _allow(rules: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return  # not there, so there is nothing to allow
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - a text
            access &= _FILE_KINDS
        rule = _PathBeneath(access, descriptor)
        system.syscall(system.LANDLOCK_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(descriptor)
