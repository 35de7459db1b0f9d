"""Every change of a job's row. A status changes in one conditional UPDATE, so that of two who
want to change it, one does and the other notices."""

import json
import math
from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from jobs.models import CANCELLED, TERMINAL, Job, Status
from jobs.outcome import Outcome

LONGEST_ERROR = 8000  # characters
LOST = "the server ended before the job did; submit the job again"


def claim(job_id: str, owner: str) -> Job | None:
    """Make a queued job a running one; None if it is not queued any more."""
    queued = Job.objects.filter(pk=job_id, status=Status.QUEUED)
    if (job := queued.first()) is None:
        return None
    job.status, job.owner, job.message = Status.RUNNING, owner, None
    job.started_at = job.heartbeat_at = timezone.now()
    # Nothing is read behind the update: who is refused here has claimed nothing.
    claimed = queued.update(
        status=job.status,
        owner=job.owner,
        started_at=job.started_at,
        heartbeat_at=job.heartbeat_at,
        message=job.message,
    )
    return job if claimed else None


def unclaim(job_id: str, owner: str) -> None:
    """Make a job that waits of one that its owner claimed, and has not begun."""
    claimed = Job.objects.filter(pk=job_id, status=Status.RUNNING, owner=owner)
    claimed.update(status=Status.QUEUED, owner="", started_at=None, heartbeat_at=None)


def is_queued(job_id: str) -> bool:
    return Job.objects.filter(pk=job_id, status=Status.QUEUED).exists()


def is_cancel_requested(job_id: str) -> bool:
    return Job.objects.filter(pk=job_id, cancel_requested=True).exists()


def note_waiting(job_id: str, message: str) -> None:
    Job.objects.filter(pk=job_id, status=Status.QUEUED).update(message=message)


def note_running(job_id: str, **changes: Any) -> None:
    """Write news of a running job, and that its consumer is still at it."""
    running = Job.objects.filter(pk=job_id, status=Status.RUNNING)
    running.update(heartbeat_at=timezone.now(), **changes)


def request_cancel(job: Job) -> bool:
    """Cancel a queued job at once, or ask for the end of a running one.

    Returns whether the job ended here and now. Whoever runs it looks for the request a few
    times a second. Without effect on a job that is over.
    """
    ended = _end(job.pk, [Status.QUEUED], Status.FAILED, error=CANCELLED)
    if not ended:
        Job.objects.filter(pk=job.pk, status=Status.RUNNING).update(cancel_requested=True)
    return ended


def finish(job_id: str, outcome: Outcome) -> bool:
    """Say that a running job is done; False if it was over already."""
    result = {} if outcome.output_dir is None else {"output_path": outcome.output_dir}
    summary = json.dumps(outcome.summary, default=str)
    return _end(
        job_id,
        [Status.RUNNING],
        Status.DONE,
        progress=1.0,
        error=None,
        summary_json=summary,
        **result,
    )


def fail(job_id: str, error: str) -> bool:
    """Say that a queued or running job failed; False if it was over already."""
    waiting = [Status.QUEUED, Status.RUNNING]
    return _end(job_id, waiting, Status.FAILED, error=error[:LONGEST_ERROR])


def mark_zombies(jobs: Iterable[Job]) -> list[Job]:
    """Give up jobs that nobody runs any more; returns those that were not over."""
    waiting = [Status.QUEUED, Status.RUNNING]
    return [job for job in jobs if _end(job.pk, waiting, Status.ZOMBIE, error=LOST)]


def unfinished() -> list[Job]:
    """Jobs that are not over, in the order of their submission."""
    return list(Job.objects.exclude(status__in=TERMINAL).order_by("created_at", "id"))


def share(progress: object) -> float | None:
    """A progress as a number from 0 to 1; None for what is no number."""
    if isinstance(progress, bool) or not isinstance(progress, int | float):
        return None
    return min(max(float(progress), 0.0), 1.0) if math.isfinite(progress) else None


def _end(job_id: str, before: Iterable[Status], status: Status, **changes: Any) -> bool:
    rows = Job.objects.filter(pk=job_id, status__in=before)
    return bool(rows.update(status=status, ended_at=timezone.now(), pid=None, **changes))
