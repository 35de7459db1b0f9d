"""The wire form of jobs."""

from datetime import datetime
from typing import Any

from jobs.models import Job


def job_row(job: Job) -> dict[str, Any]:
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "config_json": job.config_json,
        "progress": job.progress,
        "message": job.message,
        "log_path": job.log_path,
        "output_path": job.output_path,
        "error": job.error,
        "created_at": _iso(job.created_at),
        "started_at": _iso(job.started_at),
        "ended_at": _iso(job.ended_at),
    }


def _iso(at: datetime | None) -> str | None:
    """ISO 8601 in UTC, to the millisecond, as JavaScript writes it."""
    return None if at is None else at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
