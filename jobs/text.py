"""Jobs and their events in words, for people at a terminal and in the admin pages."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from jobs.models import Job

FIGURES = ("kind", "step", "loss", "learning_rate", "grad_norm", "tokens_per_sec")
SHORT_ERROR = 60  # characters


def line_of(event: dict[str, Any]) -> str:
    """One line for an event; empty for those that say nothing."""
    match event.get("type"):
        case "started":
            return "started"
        case "log":
            return str(event.get("line", ""))
        case "stage":
            return f"{_percent(event.get('progress'))} {event.get('message') or event.get('stage')}"
        case "metric":
            found = [(name, event[name]) for name in FIGURES if event.get(name) is not None]
            return "  ".join(f"{name} {_figure(value)}" for name, value in found)
        case "done":
            where = f": {event['output_dir']}" if event.get("output_dir") else ""
            return f"done{where}"
        case "failed":
            return f"failed: {event.get('error')}"
    return ""


def state_of(job: Job) -> str:
    """Where a job stands, in a few words."""
    if job.status == "running":
        return f"running {_percent(job.progress)}"
    return job.status


def note_of(job: Job) -> str:
    """What there is to say of a job in one short line."""
    text = job.error or job.message or ""
    first = text.partition("\n")[0]
    return first if len(first) <= SHORT_ERROR else f"{first[:SHORT_ERROR]}…"


def duration_of(job: Job) -> str:
    """How long it has been running, as 1:02:03; empty if it has not."""
    if job.started_at is None:
        return ""
    took = (job.ended_at or timezone.now()) - job.started_at
    return str(timedelta(seconds=int(took.total_seconds())))


def _percent(progress: Any) -> str:
    return f"{progress:4.0%}" if isinstance(progress, int | float) else "    "


def _figure(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
