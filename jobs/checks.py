"""What must hold before jobs can be queued; `manage.py check` asks it."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error

from jobs.config import JobsConfig
from jobs.queue import queues


def queue_can_be_opened(**_: Any) -> list[CheckMessage]:
    """A URL that is none, or of a server that nothing here can talk to, stops the start."""
    config: JobsConfig = settings.JOBS
    if config.queue_url is None:
        return []
    try:
        queues()  # connects to nothing yet
    except Exception as error:  # noqa: BLE001 - Huey and Redis each have their own
        hint = "It looks like redis://host:6379/0, and needs the extra `redis` to be installed."
        return [Error(f"MLXSITE_HUEY_URL is of no use: {error}", hint=hint, id="jobs.E001")]
    return []
