"""The history of downloads, as rows that outlive the server.

Synchronous, as the database is: `began` and `ended` are called on the download's thread, and
`catch_up` by whoever shows the rows. A database that cannot be written is logged; a download
does not fail for it.
"""

import logging
from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec

from django.db import Error, connection, models, transaction
from django.utils import timezone

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads.tracker import DownloadStatus
from hub.models import DownloadRecord

logger = logging.getLogger(__name__)

State = DownloadRecord.State
Arguments = ParamSpec("Arguments")


def _as_well_as_can_be(write: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """Log what the database refuses, and leave no connection to a thread that ends."""

    @wraps(write)
    def careful(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            write(*args, **kwargs)
        except Error as error:
            logger.warning("the history of downloads was not written: %s", error)
        finally:
            if not connection.in_atomic_block:
                connection.close()

    return careful


class DownloadRows:
    """The `History` of the server's downloads."""

    @_as_well_as_can_be
    def began(self, repo_id: str) -> None:
        now = timezone.now()
        with transaction.atomic():
            # Whoever begins holds the repo's lock, so nobody else still fetches it.
            _active(repo_id).update(state=State.INTERRUPTED, finished_at=now)
            DownloadRecord.objects.create(repo_id=repo_id, started_at=now)

    @_as_well_as_can_be
    def ended(self, status: DownloadStatus, *, error: str | None, cancelled: bool) -> None:
        state = State.DONE if error is None else State.CANCELLED if cancelled else State.FAILED
        _active(status.repo_id).update(
            state=state,
            received_bytes=status.received_bytes,
            total_bytes=status.total_bytes,
            finished_at=timezone.now(),
            error="" if error is None else error,
        )


def catch_up(config: HubConfig, statuses: Iterable[DownloadStatus]) -> None:
    """Bring active rows up to date: how far they are, or that their process has gone.

    statuses: of this process's downloads. Another process's are told by the lock they hold.
    """
    running = {status.repo_id: status for status in statuses if status.state == "active"}
    for repo_id in _active().values_list("repo_id", flat=True):
        if (status := running.get(repo_id)) is not None:
            _active(repo_id).update(
                received_bytes=status.received_bytes, total_bytes=status.total_bytes
            )
        elif not CachedRepo.of(config, repo_id).lock().is_held():
            _active(repo_id).update(state=State.INTERRUPTED, finished_at=timezone.now())


def _active(repo_id: str | None = None) -> "models.QuerySet[DownloadRecord]":
    rows = DownloadRecord.objects.filter(state=State.ACTIVE)
    return rows if repo_id is None else rows.filter(repo_id=repo_id)
