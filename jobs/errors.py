"""What can go wrong with jobs.

JobError          what the user must read: a job that raises it fails with this text
├── UnknownKind   nothing is registered under this name
└── QueueFailed   the queue could not take the job
Cancelled         raised in a job that is cancelled, wherever it is
"""


class JobError(Exception):
    """The root; its text says what happened and what to do, without a traceback."""


class UnknownKind(JobError):
    """A kind of job that this program does not have."""


class QueueFailed(JobError):
    """The queue's file or server did not take a job; its row says failed."""


class Cancelled(KeyboardInterrupt):
    """Someone cancelled this job. No `except Exception` swallows it; `finally` blocks run."""
