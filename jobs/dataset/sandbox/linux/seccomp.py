"""A filter of system calls: no processes, no sockets, no change of rights, and no way to other
processes: no signals, limits, priorities or shared memory.

It needs no privilege. Landlock rules over files; what it leaves open, such as chmod, is refused
here. Source: the kernel's documentation, userspace-api/seccomp_filter.
"""

import contextlib
import ctypes
import errno
import os
import platform
import struct

from jobs.dataset.sandbox.linux import system
from jobs.dataset.sandbox.linux.calls import (
    ARCHITECTURE,
    CALLS,
    CLONE,
    CLONE3,
    F_SETOWN,
    F_SETOWN_EX,
    FCNTL,
    PRLIMIT64,
    TGKILL,
)

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# Offsets in struct seccomp_data; of arguments, those of the lower halves.
NUMBER, ARCH, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 4, 16, 24
ALLOW, FAIL = 0x7FFF0000, 0x00050000
CLONE_THREAD = 0x00010000
X32 = 0x40000000  # from here on, x86_64 has every call a second time
SECCOMP_MODE_FILTER = 2

Instruction = tuple[int, int, int, int]
"""Code, how far to jump if it holds and if not, and a value."""


class _Program(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_ushort),
        ("filter", ctypes.c_char_p),
    ]


def restrict() -> None:
    """Filter the calls of this process and its threads; nothing happens where that is unknown."""
    machine = platform.machine()
    if machine not in CALLS:
        return
    # Each of 8 bytes: struct sock_filter.
    text = b"".join(struct.pack("=HBBI", *each) for each in rules(machine, os.getpid()))
    program = _Program(len(text) // 8, text)
    with contextlib.suppress(OSError):
        system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
        system.prctl(system.PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program))


def rules(machine: str, pid: int) -> list[Instruction]:
    """The filter, instruction by instruction: what is not refused is allowed."""
    found: list[Instruction] = [
        (LOAD, 0, 0, ARCH),
        (JUMP_EQUAL, 1, 0, ARCHITECTURE[machine]),
        _fail(errno.EPERM),
        (LOAD, 0, 0, NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32),
        _fail(errno.EPERM),
        # libc takes the older call when there is no newer one, and that one can be looked into.
        (JUMP_EQUAL, 0, 1, CLONE3),
        _fail(errno.ENOSYS),
    ]
    for number in CALLS[machine].values():
        found += [(JUMP_EQUAL, 0, 1, number), _fail(errno.EPERM)]
    found += _only_if(CLONE[machine], JUMP_SET, CLONE_THREAD)
    found += _only_if(TGKILL[machine], JUMP_EQUAL, pid)
    found += _only_if(PRLIMIT64[machine], JUMP_EQUAL, 0)  # whoever calls
    found += _unless_asked(FCNTL[machine], F_SETOWN)
    found += _unless_asked(FCNTL[machine], F_SETOWN_EX)
    return [*found, (RETURN, 0, 0, ALLOW)]


def _only_if(call: int, test: int, value: int) -> list[Instruction]:
    """Refuse a call unless its first argument passes a test."""
    return [
        (JUMP_EQUAL, 0, 4, call),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (test, 0, 1, value),
        (RETURN, 0, 0, ALLOW),
        _fail(errno.EPERM),
    ]


def _unless_asked(call: int, command: int) -> list[Instruction]:
    """Refuse a call for one value of its second argument; the rest is left to what follows."""
    return [
        (JUMP_EQUAL, 0, 4, call),
        (LOAD, 0, 0, SECOND_ARGUMENT),
        (JUMP_EQUAL, 0, 1, command),
        _fail(errno.EPERM),
        (LOAD, 0, 0, NUMBER),
    ]


def _fail(number: int) -> Instruction:
    return (RETURN, 0, 0, FAIL | number)
