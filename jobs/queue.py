"""The queue of jobs: all of Huey, of which no other module knows.

There are two queues, so that a job that waits for the accelerator holds up no other: one
worker takes exclusive jobs, in their order, and a few take the rest. What happens once a day is
no job; a clock in the consumer's process asks the server for it.
"""

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from django.conf import settings
from huey import Huey, MemoryHuey, RedisHuey, SqliteHuey
from huey.consumer import Consumer
from huey.registry import Message
from huey.serializer import Serializer

from jobs.config import JobsConfig
from jobs.daily import Due, local_zone
from jobs.daily_request import ask_server
from jobs.errors import QueueFailed
from jobs.kinds import kind_of
from jobs.models import Job

SHARED_WORKERS = 4
"""Jobs that run at once beside an exclusive one. They wait for answers, mostly."""
Run = Callable[[str], None]
"""Runs the job of an id to its end, whatever happens."""


class JobQueue:
    """Ids of jobs whose turn has not come. Thread: any."""

    def __init__(self, huey: Huey, workers: int) -> None:
        self._huey = huey
        self._workers = workers
        self._run: Run | None = None
        self._task = huey.task(name="run_job")(self._execute)

    def put(self, job_id: str) -> None:
        """Append a job; raises what the queue's storage raises."""
        self._task(job_id)

    def clear(self) -> None:
        self._huey.storage.flush_queue()

    def ids(self) -> set[str]:
        """Return the jobs that wait here."""
        return {task.args[0] for task in self._huey.pending()}

    def make_consumer(self, run: Run) -> Consumer:
        """Return the threads, not started, that take jobs and `run` them."""
        self._run = run
        # Seconds until a worker looks again: at a file, or at a server that does not answer.
        max_delay = 10.0 if self._huey.storage.blocking else 0.2
        return self._huey.create_consumer(
            workers=self._workers,
            periodic=False,
            max_delay=max_delay,
            health_check_interval=1,
        )

    def _execute(self, job_id: str) -> None:
        assert self._run is not None, "this process consumes no jobs"
        self._run(job_id)


def make_clock() -> Consumer | None:
    """Return the threads, not started, that do what is due once a day; None if nothing is."""
    config: JobsConfig = settings.JOBS
    if not config.daily:
        return None
    huey = MemoryHuey("mlxsite-daily", results=False, immediate=False)
    key = next(iter(settings.API_KEYS), None)
    zone = local_zone()
    for daily in config.daily:
        work = partial(ask_server, daily, config.server_url, key)
        huey.periodic_task(Due(daily.at, zone), name=daily.name)(work)
    return huey.create_consumer(workers=1, periodic=True, max_delay=60.0, health_check_interval=1)


def enqueue(job: Job) -> None:
    """Give a job its place in the queue. Raises QueueFailed."""
    try:
        exclusive, shared = queues()
        queue = exclusive if kind_of(job.kind).exclusive else shared
        queue.put(job.id)
    except Exception as error:  # a storage has exceptions of its own
        raise QueueFailed(f"the queue of jobs took nothing ({error}); try again") from error


def queues() -> tuple[JobQueue, JobQueue]:
    """Return the queue of exclusive jobs, and that of the others."""
    return _open(settings.JOBS)


@lru_cache(maxsize=1)
def _open(config: JobsConfig) -> tuple[JobQueue, JobQueue]:
    return (
        JobQueue(_make_huey("mlxsite-exclusive", config), 1),
        JobQueue(_make_huey("mlxsite-shared", config), SHARED_WORKERS),
    )


def _make_huey(name: str, config: JobsConfig) -> Huey:
    # No results: rows have them. Not immediate: a job never runs in a request.
    common: dict[str, Any] = {"results": False, "immediate": False, "serializer": _Json()}
    if config.queue_url is not None:
        return RedisHuey(name, url=config.queue_url, **common)
    config.queue_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return SqliteHuey(name, filename=str(config.queue_path), strict_fifo=True, timeout=20, **common)


class _Json(Serializer):  # type: ignore[misc]
    """Huey's own pickles would let whoever can write to the queue run code here."""

    def _serialize(self, data: Message) -> bytes:
        return json.dumps(data).encode()

    def _deserialize(self, data: bytes) -> Message:
        return Message(*json.loads(data))
