"""How far each download is: written by its thread, read by whoever asks.

Only this process's downloads, and only the last few: a record, not a history.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hub.downloads.rate import Rate

State = Literal["active", "done", "error"]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class DownloadStatus:
    """One moment of a download; times in seconds since the epoch, sizes in bytes.

    received_bytes: what is here, found or fetched; it never falls, and never exceeds
        total_bytes. error: set in state "error" alone.
    """

    repo_id: str
    state: State
    current_file: str | None
    received_bytes: int
    total_bytes: int
    files_done: int
    files_total: int
    bytes_per_sec: int
    started_at: int
    finished_at: int | None
    error: str | None


class TrackedDownload:
    """The `Progress` of one download that remembers where it is."""

    def __init__(
        self, repo_id: str, *, clock: Clock = time.time, timer: Clock = time.monotonic
    ) -> None:
        self.repo_id = repo_id
        self._clock = clock
        self._rate = Rate(timer)
        self._lock = threading.Lock()
        self._state: State = "active"
        self._has_turn = False
        self._file: str | None = None
        self._have = self._most = self._total = 0
        self._files_done = self._files_total = 0
        self._started_at = int(clock())
        self._finished_at: int | None = None
        self._error: str | None = None

    def got_turn(self) -> None:
        """The download fetches from here on; before, others did."""
        with self._lock:
            self._has_turn = True

    def is_fetching(self) -> bool:
        """Whether it has its turn, and has not ended."""
        with self._lock:
            return self._has_turn and self._state == "active"

    def planned(self, *, files: int, size: int) -> None:
        with self._lock:
            self._files_total, self._total = files, size

    def began(self, file: str) -> None:
        with self._lock:
            self._file = file

    def found(self, size: int) -> None:
        self._add(size)

    def received(self, size: int) -> None:
        self._add(size)
        self._rate.add(size)

    def dropped(self, size: int) -> None:
        self._add(-size)

    def finished(self) -> None:
        with self._lock:
            self._files_done += 1

    def ended(self, error: str | None = None) -> None:
        """The download is over, well or with this error."""
        with self._lock:
            self._state = "done" if error is None else "error"
            self._error = error
            self._file = None
            self._finished_at = int(self._clock())

    def _add(self, size: int) -> None:
        with self._lock:
            self._have += size
            self._most = max(self._most, self._have)

    def status(self) -> DownloadStatus:
        with self._lock:
            return DownloadStatus(
                repo_id=self.repo_id,
                state=self._state,
                current_file=self._file,
                received_bytes=min(self._most, self._total),
                total_bytes=self._total,
                files_done=self._files_done,
                files_total=self._files_total,
                bytes_per_sec=self._rate.per_second() if self._state == "active" else 0,
                started_at=self._started_at,
                finished_at=self._finished_at,
                error=self._error,
            )
