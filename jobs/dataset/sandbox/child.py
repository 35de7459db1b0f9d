"""The process of a program that a model wrote: confines itself, then runs it.

What holds where:

                    Linux                                macOS
    time            our parent ends it; RLIMIT_CPU       the same
    memory          RLIMIT_AS                            not limited
    files' sizes    RLIMIT_FSIZE                         the same
    processes       seccomp: none can be started         RLIMIT_NPROC 0, and the fence
    network         a namespace without any; seccomp     the fence
    other files     Landlock: not read, not written      the fence: not written

The fence (`jobs.dataset.sandbox.fence`) stops what Python itself is asked to do. It is up on every
system, and on one without the rest, such as macOS, it keeps accidents from happening rather than a
program that means harm. Loads nothing but the standard library.
"""

import contextlib
import os
import resource
import sys
import traceback
import types
from pathlib import Path

from jobs.dataset.sandbox import fence
from jobs.dataset.sandbox.linux import landlock, namespaces, seccomp

PROGRAM = "program.py"
CPU_SECONDS = 10
MEMORY_BYTES = 512 * 2**20
FILE_BYTES = 8 * 2**20
MOST_FRAMES = 20  # of a traceback
LIMITS = (
    (resource.RLIMIT_CPU, CPU_SECONDS),
    (resource.RLIMIT_AS, MEMORY_BYTES),
    (resource.RLIMIT_FSIZE, FILE_BYTES),
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_NOFILE, 64),
)


def main() -> None:
    """Run the program of the working folder as `__main__`; what it raises goes on."""
    folder = Path.cwd()
    sys.path[:] = [path for path in sys.path[1:] if "site-packages" not in path]
    _limit()
    if sys.platform == "linux":
        namespaces.leave_network()
        landlock.restrict(folder)
        seccomp.restrict()
    fence.put_up(folder)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    code = (folder / PROGRAM).read_bytes()
    try:
        exec(compile(code, PROGRAM, "exec"), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the program's
        sys.exit(_told(error))


def _told(error: BaseException) -> str:
    """The traceback with the program's own lines alone: no path of this machine is in it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == PROGRAM]
    said = traceback.format_exception_only(error)
    return "".join([*traceback.format_list(own[-MOST_FRAMES:]), *said]).rstrip()


def _limit() -> None:
    limits = list(LIMITS)
    if sys.platform != "linux":  # there it counts threads, and those of other programs
        limits.append((resource.RLIMIT_NPROC, 0))
    for kind, value in limits:
        # A system that does not know a limit, or has a lower one already.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))
    with contextlib.suppress(OSError):
        os.nice(5)
