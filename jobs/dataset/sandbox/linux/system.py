"""System calls that Python has no function for. Each raises OSError where it fails."""

import ctypes
import os

# The same on every architecture, as for all calls since Linux 5.1.
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38

_libc = ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: object) -> int:
    return _checked(_libc.syscall(ctypes.c_long(number), *map(_wide, arguments)))


def prctl(option: int, *arguments: object) -> int:
    padded = [*arguments, 0, 0, 0, 0][:4]
    return _checked(_libc.prctl(option, *map(_wide, padded)))


def unshare(flags: int) -> int:
    return _checked(_libc.unshare(flags))


def _wide(value: object) -> object:
    return ctypes.c_ulong(value) if isinstance(value, int) else value


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
