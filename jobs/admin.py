"""Admin pages of jobs."""

import json
from pathlib import Path

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from hub.admin_pages import NOTHING, ReadOnlyAdmin
from jobs import text
from jobs.cancel import cancel
from jobs.log import tail
from jobs.models import TERMINAL, Job


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    subtitle = "Fine-tuning, quantizing and datasets. Jobs are submitted in the web app."
    list_display = ("id", "kind", "state", "created_at", "took", "note")
    list_filter = ("kind", "status", "created_at")
    search_fields = ("id", "kind", "config_json", "output_path", "error")
    date_hierarchy = "created_at"
    actions = ("cancel",)
    readonly_fields = ("state", "took", "config", "summary", "log")
    fieldsets = (
        (None, {"fields": ("id", "kind", "state", "message", "error", "output_path")}),
        ("Times", {"fields": ("created_at", "started_at", "ended_at", "took", "heartbeat_at")}),
        ("Runs at", {"fields": ("owner", "pid", "log_path")}),
        ("What was asked for, and what came of it", {"fields": ("config", "summary")}),
        ("The end of its log", {"fields": ("log",)}),
    )

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("jobs.change_job"))

    @admin.action(description="Cancel selected jobs", permissions=["cancel"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        waiting = [job.pk for job in queryset.exclude(status__in=TERMINAL)]
        for job_id in waiting:
            cancel(job_id)
        if waiting:
            told = f"Cancelled: {', '.join(waiting)}. Those that run end within seconds."
            self.message_user(request, told, messages.SUCCESS)
        else:
            self.message_user(request, "All of these are over already.", messages.WARNING)

    @admin.display(description="Status", ordering="status")
    def state(self, job: Job) -> str:
        return text.state_of(job)

    @admin.display(description="Took")
    def took(self, job: Job) -> str:
        return text.duration_of(job) or NOTHING

    @admin.display(description="Note")
    def note(self, job: Job) -> str:
        return text.note_of(job) or NOTHING

    @admin.display(description="Config")
    def config(self, job: Job) -> str:
        return _pre(json.dumps(json.loads(job.config_json), indent=2))

    @admin.display(description="Summary")
    def summary(self, job: Job) -> str:
        return _pre(json.dumps(json.loads(job.summary_json), indent=2))

    @admin.display(description="Log")
    def log(self, job: Job) -> str:
        return _pre("\n".join(map(text.line_of, tail(Path(job.log_path)))) or NOTHING)


def _pre(shown: str) -> str:
    return format_html('<pre style="white-space: pre-wrap">{}</pre>', shown)
