"""The events that tell of a job's status; the others are its own, see `jobs.emitter`."""

import json
import time
from datetime import datetime
from typing import Any

from jobs.models import Job, Status

ENDINGS = ("done", "failed")
"""Types of the event behind which none follows."""


def started(job: Job) -> dict[str, Any]:
    return {"type": "started", "ts": _milliseconds(job.started_at)}


def ended(job: Job) -> dict[str, Any]:
    """The last event of a job that is over."""
    ts = _milliseconds(job.ended_at)
    if job.status == Status.DONE:
        summary = json.loads(job.summary_json)
        return {"type": "done", "ts": ts, "output_dir": job.output_path, "summary": summary}
    return {"type": "failed", "error": job.error or job.status, "ts": ts}


def failed(error: str) -> dict[str, Any]:
    """A failure of which there is no row."""
    return {"type": "failed", "error": error, "ts": int(time.time() * 1000)}


def _milliseconds(at: datetime | None) -> int | None:
    return None if at is None else int(at.timestamp() * 1000)
