"""Where jobs live: a value that settings make."""

from dataclasses import dataclass
from pathlib import Path

from jobs.daily import Daily


@dataclass(frozen=True, slots=True)
class JobsConfig:
    """directory: folder of logs, a file for each job. queue_path: the queue's SQLite file.

    queue_url: a Redis server to queue in instead, for consumers on several machines.
    server_url: where jobs ask for text, without a slash at the end.
    daily: what the server is asked to do once a day.
    """

    directory: Path
    queue_path: Path
    queue_url: str | None
    server_url: str
    daily: tuple[Daily, ...] = ()
