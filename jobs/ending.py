"""How jobs ended: kept until their rows say so, and written to their logs."""

import logging
import threading
from pathlib import Path

from django.db import DatabaseError

from jobs import events, rows
from jobs.log import LogWriter
from jobs.models import Job
from jobs.outcome import Outcome
from jobs.watch import Failure

logger = logging.getLogger(__name__)


class Endings:
    """Those that one consumer knows of. Nothing here raises. Thread: any.

    A full disk may last for hours. Until it takes the row, the job looks as if it still ran, and
    others go on.
    """

    def __init__(self) -> None:
        self._unwritten: dict[str, Outcome | Failure] = {}
        self._lock = threading.Lock()

    def settle(self, job_id: str, verdict: Outcome | Failure) -> None:
        """Write how a job ended to its row, now if that can be done."""
        with self._lock:
            self._unwritten[job_id] = verdict
            self._write(job_id, logging.WARNING)

    def holds(self, job_id: str) -> bool:
        """Whether a job is over, and its row does not say so yet."""
        with self._lock:
            return job_id in self._unwritten

    def settle_rest(self) -> None:
        """Try again what could not be written; called now and then."""
        with self._lock:
            for job_id in list(self._unwritten):
                self._write(job_id, logging.DEBUG)  # it was told before

    def _write(self, job_id: str, level: int) -> None:
        verdict = self._unwritten[job_id]
        try:
            if isinstance(verdict, Outcome):
                ended = rows.finish(job_id, verdict)
            else:
                ended = rows.fail(job_id, verdict.error)
            if ended:
                write_ending(Job.objects.get(pk=job_id))
        except DatabaseError as error:
            logger.log(level, "the row of %s cannot be written yet: %s", job_id, error)
        else:
            del self._unwritten[job_id]


def write_ending(job: Job) -> None:
    """Close the log of a job that is over."""
    with LogWriter(Path(job.log_path)) as log:
        log.append(events.ended(job))
