"""What can go wrong with jobs.

JobError          what the user must read: a job that raises it fails with this text
├── UnknownKind   nothing is registered under this name
└── QueueFailed   the job could not be stored or queued
Cancelled         raised in a job that is cancelled, wherever it is
"""


class JobError(Exception):
    """The root; its text says what happened and what to do, without a traceback."""


class UnknownKind(JobError):
    """A kind of job that this program does not have."""


class QueueFailed(JobError):
    """Disk, database or queue did not take a job; its row, if there is one, says failed."""


class Cancelled(KeyboardInterrupt):
    """Someone cancelled this job. No `except Exception` swallows it; `finally` blocks run."""
