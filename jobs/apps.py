"""The Django app `jobs`."""

from django.apps import AppConfig
from django.core.checks import register


class JobsConfig(AppConfig):
    name = "jobs"
    label = "jobs"
    verbose_name = "Jobs"

    def ready(self) -> None:
        from jobs import checks  # noqa: PLC0415 - needs the models

        register(checks.queue_can_be_opened)
