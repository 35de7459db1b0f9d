"""Runs jobs, each in a process of its own, and settles their rows."""

import json
import logging
import threading
from pathlib import Path

from django.db import OperationalError, close_old_connections

from jobs import events, rows
from jobs.ending import Endings
from jobs.errors import JobError
from jobs.kinds import Kind, kind_of
from jobs.lease import Lease
from jobs.log import LogWriter
from jobs.models import Job
from jobs.outcome import Outcome
from jobs.process import JobProcess
from jobs.queue import enqueue
from jobs.watch import LOOK_SECONDS, Failure, Watch

logger = logging.getLogger(__name__)

WAITING = "Waiting for the answers that are being generated"
RETRY_SECONDS = 2.0
"""How long a job waits that cannot begin, since its row cannot be written."""


class Runner:
    """What the threads of a consumer do with jobs. Thread: any.

    owner: host and process of the consumer, as rows name it.
    """

    def __init__(self, *, owner: str, lease: Lease) -> None:
        self._owner = owner
        self._lease = lease
        self._stopping = threading.Event()
        self._stop_error: str | None = None
        self._endings = Endings()
        self._lock = threading.Lock()  # over what follows
        self._taken_on: set[str] = set()

    def stop(self, error: str | None) -> None:
        """End the jobs that run, and begin no more.

        error: what their rows say then; None leaves the rows as they are.
        """
        self._stop_error = error
        self._stopping.set()

    def settle_rest(self) -> None:
        """Write to rows how jobs ended, where that failed before; called now and then."""
        close_old_connections()
        self._endings.settle_rest()

    def run(self, job_id: str) -> None:
        """Bring a job to its end, whatever happens; harmless if it is not queued any more."""
        with self._lock:
            if job_id in self._taken_on or self._endings.holds(job_id):
                return
            self._taken_on.add(job_id)
        close_old_connections()
        try:
            self._run(job_id)
        except Exception as error:
            logger.exception("%s could not be run", job_id)
            self._settle(job_id, Failure(f"the job could not be run: {error}"))
        finally:
            close_old_connections()
            with self._lock:
                self._taken_on.remove(job_id)

    def _run(self, job_id: str) -> None:
        failed = False
        while not self._stopping.is_set():
            try:
                if failed:  # a claim can be written though its answer was lost
                    rows.unclaim(job_id, self._owner)
                self._take_on(job_id)
            except OperationalError as error:  # before it was begun
                logger.warning("%s cannot begin yet: %s", job_id, error)
                failed = True
                self._stopping.wait(RETRY_SECONDS)
                close_old_connections()
            else:
                failed = False
                break
        if self._stopping.is_set():
            try:
                self._give_back(job_id, failed)
            except OperationalError as error:  # whoever starts next finds the row
                logger.warning("%s cannot go back to the queue: %s", job_id, error)

    def _give_back(self, job_id: str, failed: bool) -> None:
        """Return a job that still waits to its queue: others may share that."""
        if failed:
            rows.unclaim(job_id, self._owner)
        if rows.is_queued(job_id):
            enqueue(Job.objects.get(pk=job_id))

    def _take_on(self, job_id: str) -> None:
        job = Job.objects.filter(pk=job_id).first()
        if job is None:
            return
        try:
            kind = kind_of(job.kind)
        except JobError as error:
            self._settle(job_id, Failure(str(error)))
            return
        if not kind.exclusive:
            self._work(job_id, kind)
            return
        # A row that cannot be written keeps nobody from the accelerator.
        rows.note_waiting(job_id, WAITING)
        self._lease.ask(job_id)
        try:
            if self._wait_for_lease(job_id):
                self._work(job_id, kind)
        finally:
            self._lease.give_back(job_id)

    def _wait_for_lease(self, job_id: str) -> bool:
        """Wait for the accelerator; False if the job is not to run any more."""
        while not self._lease.wait(job_id, LOOK_SECONDS):
            if self._stopping.is_set() or not rows.is_queued(job_id):
                return False
        return True

    def _work(self, job_id: str, kind: Kind) -> None:
        job = rows.claim(job_id, self._owner)
        if job is None:
            return
        config = json.loads(job.config_json)
        with LogWriter(Path(job.log_path)) as log:
            log.append(events.started(job))
            with JobProcess(run=kind.run, exclusive=kind.exclusive, config=config) as process:
                verdict = Watch(job_id, process, log, self._stop_reason).follow()
        self._settle(job_id, verdict)

    def _stop_reason(self) -> str | None:
        return (self._stop_error or "stopped") if self._stopping.is_set() else None

    def _settle(self, job_id: str, verdict: Outcome | Failure) -> None:
        if isinstance(verdict, Failure) and self._stopping.is_set() and self._stop_error is None:
            return
        self._endings.settle(job_id, verdict)
