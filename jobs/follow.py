"""Following one job: what its log has, then what comes, to its end."""

from pathlib import Path
from typing import Any

from jobs.events import ENDINGS, ended
from jobs.log import LogReader
from jobs.models import Job

POLL_SECONDS = 0.2
"""How long a follower waits when there was nothing new."""


class Follower:
    """Reads the events of a job from the first one on. Thread: any, one at a time.

    is_finished: the job is over, and all of its events were returned.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._log = LogReader(Path(job.log_path))
        self._last: dict[str, Any] = {}
        self.is_finished = False

    def look(self) -> list[dict[str, Any]]:
        """Return further events, some at a time; none if there are none for now.

        The last one tells how the job ended, though its log may have lost that.
        """
        if not self._job.is_over:
            self._job.refresh_from_db()
        is_over = self._job.is_over
        # Behind the row: what was written before the job ended is read by now.
        if news := self._log.read():
            self._last = news[-1]
            return news
        if not is_over:
            return []
        self.is_finished = True
        return [] if self._last.get("type") in ENDINGS else [ended(self._job)]
