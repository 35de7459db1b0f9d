"""The log of a job: a file of events, one JSON object a line, of which any line may be torn.

A full disk or a crash tears a line. Whoever writes next begins a new one, and whoever reads
skips what is no event.
"""

import contextlib
import logging
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jobs.lines import decode, encode
from jobs.models import TERMINAL, Job

logger = logging.getLogger(__name__)

LOGS_KEPT = 200
READ_BYTES = 2**20
TAIL_BYTES = 2**16
TAIL_EVENTS = 100
LONGEST_LINE = 2**20
"""Bytes of a line that are read; a longer one is no event of ours."""


class LogWriter:
    """Appends events to a log. Never raises: a job goes on without its log. Thread: one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._torn = False
        self._failing = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def append(self, event: dict[str, Any]) -> None:
        try:
            self._write(encode(event).encode())
        except OSError as error:
            if not self._failing:  # once, not for every line of a full disk
                logger.warning("the log %s cannot be written: %s", self._path, error)
            self._failing = True
        else:
            self._failing = False

    def _write(self, line: bytes) -> None:
        if self._descriptor is None:
            self._descriptor, self._torn = _open(self._path)
        rest = b"\n" + line if self._torn else line
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        finally:
            # What a failed write left of a line, the next one must not continue.
            self._torn = bool(rest) and (self._torn or len(rest) < len(line))


def _open(path: Path) -> tuple[int, bool]:
    """Open a log to append to; also tell whether its last line is torn."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    size = os.fstat(descriptor).st_size
    return descriptor, size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


class LogReader:
    """Reads a log that may still grow, from its beginning. Thread: any, one at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._partial = b""

    def read(self) -> list[dict[str, Any]]:
        """Return further events, some MiB of them at most; empty when there are none for now.

        A log that does not exist has none.
        """
        with contextlib.suppress(OSError), self._path.open("rb", buffering=0) as file:
            file.seek(self._offset)
            while data := file.read(READ_BYTES):
                self._offset += len(data)
                *lines, self._partial = (self._partial + data).split(b"\n")
                if len(self._partial) > LONGEST_LINE:
                    self._partial = self._partial[:LONGEST_LINE]  # long enough to be no event
                if events := [event for line in lines if (event := decode(line))]:
                    return events
        return []


def tail(path: Path, most: int = TAIL_EVENTS) -> list[dict[str, Any]]:
    """Return the last events of a log, from its last few kilobytes."""
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - TAIL_BYTES, 0))
            lines = file.read().split(b"\n")
    except OSError:
        return []
    events = [event for line in lines if (event := decode(line))]
    return events[-most:]


def prune() -> None:
    """Delete the logs of jobs that are over, but for the newest; rows stay."""
    for job in Job.objects.filter(status__in=TERMINAL)[LOGS_KEPT:]:
        with contextlib.suppress(OSError):
            Path(job.log_path).unlink()
