"""Cancelling a job, in whatever state it is."""

from jobs import rows
from jobs.ending import write_ending
from jobs.models import Job, find


def cancel(job_id: str) -> Job | None:
    """Cancel a job and return its row, or None if there is no such job.

    A queued job never starts. A running one is told to end and killed three seconds later; its
    row says so soon. One that is over stays as it is. Thread: any but an event loop's.
    """
    job = find(job_id)
    if job is None:
        return None
    ended = rows.request_cancel(job)
    job.refresh_from_db()
    if ended:
        write_ending(job)
    return job
