"""Watches one job's process: its events go to the log and the row, its output to the log, and
at the end there is a verdict."""

import logging
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError

from jobs import rows
from jobs.child import GRACE
from jobs.lines import decode
from jobs.log import LogWriter
from jobs.models import CANCELLED
from jobs.outcome import Outcome
from jobs.output import LONGEST_LINE, OutputLines
from jobs.process import JobProcess

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
"""How often a request to cancel is looked for, and how old a row's progress may be."""
BEAT_SECONDS = 2.0
LONGEST_EVENT = 2**18  # bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job failed, for its user."""

    error: str


class Watch:
    """One job's process, from its start to its end. Thread: one.

    stop_reason: asked now and then; a text means that the job has to end, and says why.
    """

    def __init__(
        self,
        job_id: str,
        process: JobProcess,
        log: LogWriter,
        stop_reason: Callable[[], str | None],
    ) -> None:
        self._job_id = job_id
        self._process = process
        self._log = log
        self._stop_reason = stop_reason
        self._lines = OutputLines()
        self._partial = b""
        self._verdict: Outcome | Failure | None = None
        self._is_cancelled = False  # says the row
        self._stopped: str | None = None  # the reason, once the process was told
        self._kill_at = 0.0
        self._news: dict[str, Any] = {"pid": process.pid}
        self._look_at = self._beat_at = time.monotonic()

    def follow(self) -> Outcome | Failure:
        """Return when the process is gone."""
        while (status := self._process.poll()) is None:
            self._read(LOOK_SECONDS)
            self._look()
        self._process.kill()  # what it started may hold the pipes open
        while self._read(0):
            pass
        for line in self._lines.end():
            self._log.append({"type": "log", "line": line})
        self._ask_row(time.monotonic())
        return self._judge(status)

    def _judge(self, status: int) -> Outcome | Failure:
        if isinstance(self._verdict, Outcome):
            return self._verdict
        if self._stopped is not None:
            return Failure(self._stopped)
        if self._verdict is not None:
            return self._verdict
        how = f"ended with status {status}" if status >= 0 else f"was killed by {_name(-status)}"
        hint = " (did the memory run out?)" if status == -signal.SIGKILL else ""
        last = "".join(f"\n{line}" for line in self._lines.last)
        said = f"; its last lines:{last}" if last else ""
        return Failure(f"the job's process {how}{hint}{said}")

    def _read(self, patience: float) -> bool:
        """Take in what there is; False if there was nothing."""
        found = False
        for is_event, data in self._process.read(patience):
            found = True
            if is_event:
                *lines, self._partial = (self._partial + data).split(b"\n")
                for line in lines:
                    self._take(line)
            else:
                for text in self._lines.feed(data):
                    self._log.append({"type": "log", "line": text})
        return found

    def _take(self, line: bytes) -> None:
        event = decode(line)
        if event is None:  # processes that the job has forked may write at once
            self._log.append({"type": "log", "line": line.decode(errors="replace")[:LONGEST_LINE]})
            return
        match event["type"]:
            case "outcome":
                self._verdict = Outcome(event["output_dir"], event["summary"])
            case "error":
                self._verdict = Failure(event["error"])
            case "cancelled":
                self._verdict = Failure("the job's process was told to end from outside")
            case _ if len(line) > LONGEST_EVENT:
                told = f"… an event of {len(line):,} bytes left out"
                self._log.append({"type": "log", "line": told})
            case "log":
                self._log.append(event | {"line": event["line"][:LONGEST_LINE]})
            case "stage" | "metric":
                self._log.append(event)
                self._note(event)

    def _note(self, event: dict[str, Any]) -> None:
        if (progress := rows.share(event.get("progress"))) is not None:
            self._news["progress"] = progress
        if isinstance(message := event.get("message"), str):
            self._news["message"] = message[:LONGEST_LINE]

    def _look(self) -> None:
        """Now and then: write news to the row, and end the job if that is wanted."""
        now = time.monotonic()
        if self._stopped is not None and now >= self._kill_at:
            self._process.kill()
        reason = self._stop_reason()
        if now >= self._look_at:
            self._look_at = now + LOOK_SECONDS
            if not self._ask_row(now):
                self._look_at = now + BEAT_SECONDS
            elif self._is_cancelled:
                reason = reason or CANCELLED
        if reason is not None and self._stopped is None:
            self._stopped = reason
            self._kill_at = now + GRACE
            self._process.terminate()

    def _ask_row(self, now: float) -> bool:
        """Bring the row up to date, and see what is asked there; False if it cannot be reached."""
        try:
            if self._news or now >= self._beat_at:
                rows.note_running(self._job_id, **self._news)
                self._news.clear()
                self._beat_at = now + BEAT_SECONDS
            self._is_cancelled = rows.is_cancel_requested(self._job_id)
        except DatabaseError as error:
            logger.warning("the row of %s cannot be reached: %s", self._job_id, error)
            return False
        return True


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
