"""Runs a program for a tool: in a group of its own, within limits, gone when the tool is."""

import asyncio
import contextlib
import os
import secrets
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sessions.tools.base import Update
from sessions.tools.live_output import LiveOutput
from sessions.tools.strays import MARK, end_strays

_CHUNK = 65_536
_SILENCE_SECONDS = 0.5  # after which a program that has ended prints no more
_GRACE_SECONDS = 2.0  # between asking a group to end and ending it


@dataclass(frozen=True, slots=True)
class Ended:
    """output: what it printed, both streams as they came; cut: how much of it is left out.

    status: as a shell tells it; None when the time was up.
    """

    output: str
    cut: int
    status: int | None


async def run_process(
    command: Sequence[str],
    *,
    cwd: Path,
    seconds: float,
    most_output: int,
    update: Update,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program to its end, or until its time is up; cancelling kills it and its children.

    most_output: bytes kept, from the end. update: told of what it prints, as `LiveOutput` does.
    """
    mark = secrets.token_hex(16)
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={**(os.environ if environment is None else environment), MARK: mark},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    kept = bytearray()
    read = 0
    try:
        async with asyncio.timeout(seconds), LiveOutput(update) as live:
            while chunk := await _read(process):
                read += len(chunk)
                kept = (kept + chunk)[-most_output:]
                live.feed(chunk)
            status: int | None = process.returncode
            if status is None:
                status = await process.wait()
    except TimeoutError:
        status = None
    finally:
        await asyncio.shield(_end(process, mark))
    return Ended(kept.decode("utf-8", "replace"), read - len(kept), status)


async def _read(process: asyncio.subprocess.Process) -> bytes:
    """Return more of what it prints; nothing at its end, though children may hold its pipe."""
    assert process.stdout is not None
    while True:
        try:
            # Not `wait_for`: in Python 3.11 it forgets a cancellation that comes with a result.
            async with asyncio.timeout(_SILENCE_SECONDS):
                return await process.stdout.read(_CHUNK)
        except TimeoutError:
            if process.returncode is not None:
                return b""


async def _end(process: asyncio.subprocess.Process, mark: str) -> None:
    """End the whole group, and who left it: children may live on after the program has ended."""
    # Its end is told once its pipe has been read to the end.
    reading = asyncio.create_task(_read_on(process))
    try:
        _signal(process.pid, signal.SIGTERM)
        if process.returncode is None:
            await _wait(process)
        _signal(process.pid, signal.SIGKILL)
        await asyncio.to_thread(end_strays, mark)
        await _wait(process)
    finally:
        reading.cancel()
        # A child may have got away and hold its pipe open; our end of it is open as long.
        process._transport.close()  # type: ignore[attr-defined]


async def _read_on(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    while await process.stdout.read(_CHUNK):
        pass


async def _wait(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), _GRACE_SECONDS)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
