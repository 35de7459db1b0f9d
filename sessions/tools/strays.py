"""Ends what a program started and let go of: processes that left its group, as `setsid` does.

They are known by a mark in the environment that each process passes on to those it starts. Linux
alone shows environments; elsewhere, who leaves the group lives on.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

MARK = "MLXSITE_CALL"
_PROCESSES = Path("/proc")
_ROUNDS = 20  # of looking; a process may start others while it is being ended
_PAUSE = 0.01  # seconds


def end_strays(mark: str) -> None:
    """Kill every process whose environment has the mark. Blocks for a moment."""
    wanted = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        found = [pid for pid in _processes() if wanted in _environment(pid)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def _processes() -> list[int]:
    try:
        return [int(entry.name) for entry in _PROCESSES.iterdir() if entry.name.isdigit()]
    except OSError:
        return []


def _environment(pid: int) -> list[bytes]:
    try:
        return (_PROCESSES / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is another user's
        return []
