"""The table of jobs. A row is the truth about a job; the queue only says whose turn it is."""

import secrets

from django.db import models
from django.db.models import Q

from jobs.characters import UNKEPT


def new_id() -> str:
    return f"job_{secrets.token_hex(8)}"


class Status(models.TextChoices):
    """Where a job stands.

        queued ─► running ─► done
           │         ├─────► failed   it failed, crashed, or was cancelled
           └─────────┴─────► zombie   the server ended before the job did

    The three on the right are terminal: a job never leaves them.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    ZOMBIE = "zombie"


TERMINAL = (Status.DONE, Status.FAILED, Status.ZOMBIE)
CANCELLED = "cancelled"
"""The error of a job that was cancelled, while it waited or while it ran."""


class Job(models.Model):
    """Long work, from its submission to its end.

    kind: a key of `jobs.kinds.KINDS`. config_json: what was submitted, as JSON text.
    progress: from 0 to 1, and message: of the last stage. summary_json: the outcome's summary.
    log_path: the file of events, one JSON object a line. output_path: where the result lies or
    will lie. error: what the user reads of a job that did not end well.
    owner: host and process of the consumer that runs it, and pid: the job's own process there.
    heartbeat_at: when that consumer was last seen at it.
    cancel_requested: the consumer that runs it shall stop it.
    """

    id = models.CharField(primary_key=True, max_length=20, default=new_id, editable=False)
    kind = models.CharField(max_length=32)
    status = models.CharField(max_length=8, choices=Status, default=Status.QUEUED)
    config_json = models.TextField(default="{}")
    progress = models.FloatField(default=0.0)
    message = models.TextField(null=True)  # noqa: DJ001 - the API tells none from blank
    log_path = models.TextField()
    output_path = models.TextField(null=True)  # noqa: DJ001
    error = models.TextField(null=True)  # noqa: DJ001
    summary_json = models.TextField(default="{}")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    owner = models.CharField(max_length=255, default="")
    pid = models.PositiveIntegerField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    cancel_requested = models.BooleanField(default=False)

    class Meta:
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=["-created_at", "-id"], name="jobs_newest"),
            models.Index(fields=["status"], name="jobs_by_status"),
        )
        constraints = (
            models.CheckConstraint(condition=Q(status__in=Status.values), name="job_status_known"),
            models.CheckConstraint(
                condition=Q(status__in=TERMINAL, ended_at__isnull=False)
                | (~Q(status__in=TERMINAL) & Q(ended_at__isnull=True)),
                name="job_ended_exactly_when_terminal",
            ),
            models.CheckConstraint(
                condition=Q(progress__gte=0, progress__lte=1), name="job_progress_is_a_share"
            ),
        )

    def __str__(self) -> str:
        return f"{self.id} ({self.kind}, {self.status})"

    @property
    def is_over(self) -> bool:
        return self.status in TERMINAL


def find(job_id: str) -> Job | None:
    """Return a job by whatever text may be its id."""
    # Databases do not look for what they do not keep: they raise.
    return None if UNKEPT.search(job_id) else Job.objects.filter(pk=job_id).first()
