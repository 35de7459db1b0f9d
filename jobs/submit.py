"""How a job begins: a row and an empty log, then a place in the queue."""

import contextlib
import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from jobs.config import JobsConfig
from jobs.errors import QueueFailed
from jobs.kinds import kind_of
from jobs.models import Job, Status, new_id
from jobs.queue import enqueue


def submit(kind: str, config: dict[str, Any], *, output_path: str | None = None) -> Job:
    """Queue a job and return its row.

    config: JSON; handed to the kind's `run` as it is. output_path: where the result will lie,
    if that is known now. Inside a transaction the job is queued once that commits.
    Thread: any but an event loop's; from an async view, `await sync_to_async(submit)(…)`.
    Raises UnknownKind, QueueFailed.
    """
    kind_of(kind)
    jobs: JobsConfig = settings.JOBS
    job_id = new_id()
    log = jobs.directory / f"{job_id}.ndjson"
    job = Job(
        id=job_id,
        kind=kind,
        config_json=json.dumps(config, allow_nan=False),
        log_path=str(log),
        output_path=output_path,
    )
    try:
        _create(log)
        job.save(force_insert=True)
    except BaseException as error:
        with contextlib.suppress(OSError):
            log.unlink()
        if isinstance(error, OSError | DatabaseError):
            raise QueueFailed(f"the job could not be stored: {error}") from error
        raise
    transaction.on_commit(lambda: _queue(job))
    return job


def _queue(job: Job) -> None:
    try:
        enqueue(job)
    except QueueFailed as error:
        Job.objects.filter(pk=job.pk, status=Status.QUEUED).update(
            status=Status.FAILED, error=str(error), ended_at=timezone.now()
        )
        raise


def _create(log: Path) -> None:
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    log.touch(mode=0o600)
