"""What becomes of jobs whose process is gone: after a crash, at a start, at a stop."""

import os
import socket
import time

from django.conf import settings
from django.utils import timezone

from hub.file_lock import FileLock
from jobs import rows
from jobs.config import JobsConfig
from jobs.ending import write_ending
from jobs.models import CANCELLED, Job, Status
from jobs.queue import enqueue, queues

UNWATCHED = "the process that watched the job ended unexpectedly; submit the job again"
STOPPED = "cancelled: the server was stopped"
STALE_SECONDS = 120.0
"""A running job whose row was not touched for so long is nobody's, on whatever machine."""
GONE_SECONDS = 5.0
"""How long processes of jobs are waited for that nobody watches any more; they end themselves."""


def host() -> str:
    return socket.gethostname()


def consumer_lock() -> FileLock:
    """The lock of the one consumer of this machine; it dies with its process."""
    config: JobsConfig = settings.JOBS
    return FileLock(config.queue_path.with_name(f"{config.queue_path.name}.{host()}.lock"))


def give_up_jobs() -> None:
    """At a server's start: whatever is queued or running has been abandoned.

    Nothing happens while another consumer is at work. With a shared queue, jobs of other
    machines are none of our business.
    """
    with consumer_lock() as lock:
        if not lock.acquire(patience=GONE_SECONDS):
            return
        abandoned = rows.unfinished()
        if _queue_is_shared():
            abandoned = [job for job in abandoned if _is_abandoned(job)]
        for job in rows.mark_zombies(abandoned):
            job.refresh_from_db()
            write_ending(job)


def take_over() -> None:
    """At a consumer's start: settle what the one before left, and queue what still waits."""
    unfinished = rows.unfinished()
    for job in unfinished:
        if job.status == Status.RUNNING and _is_abandoned(job):
            _end(job, CANCELLED if job.cancel_requested else UNWATCHED)
    _wait_for_the_end_of([job.pid for job in unfinished if job.pid and _is_ours(job)])
    waiting = [job for job in unfinished if job.status == Status.QUEUED]
    pending: set[str] = set()
    for queue in queues():
        if _queue_is_shared():
            pending |= queue.ids()
        else:
            queue.clear()
    for job in waiting:
        if job.pk not in pending:
            enqueue(job)


def cancel_queued() -> None:
    """At a server's stop: jobs that wait for it will not run. Those of a shared queue may."""
    if _queue_is_shared():
        return
    for job in rows.unfinished():
        if job.status == Status.QUEUED:
            _end(job, STOPPED)


def _end(job: Job, error: str) -> None:
    if rows.fail(job.pk, error):
        write_ending(Job.objects.get(pk=job.pk))


def _is_abandoned(job: Job) -> bool:
    """Whether the consumer of a job is gone, as seen by whoever holds the consumers' lock here."""
    return _is_ours(job) or (
        job.heartbeat_at is not None
        and (timezone.now() - job.heartbeat_at).total_seconds() > STALE_SECONDS
    )


def _is_ours(job: Job) -> bool:
    return job.owner.startswith(f"{host()}/")


def _queue_is_shared() -> bool:
    config: JobsConfig = settings.JOBS
    return config.queue_url is not None


def _wait_for_the_end_of(pids: list[int]) -> None:
    deadline = time.monotonic() + GONE_SECONDS
    while any(map(_is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return False  # another user's: the number was given anew
    return True
