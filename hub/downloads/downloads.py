"""The downloads of this process: started, watched, cancelled, and stopped with the server."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads.download import download_model
from hub.downloads.errors import AlreadyDownloading, Cancelled, DownloadError
from hub.downloads.names import MAIN, check_repo_id, check_revision
from hub.downloads.remote import RemoteHub
from hub.downloads.repo_lock import take
from hub.downloads.tracker import DownloadStatus, TrackedDownload
from hub.file_lock import FileLock
from hub.token import Tokens

logger = logging.getLogger(__name__)

AT_ONCE = 2  # more would share the same line
REMEMBERED = 5
TURN_POLL = 0.1  # seconds
STOP_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class _Task:
    """One download under way; `lock` is held until it ends."""

    repo: CachedRepo
    revision: str
    lock: FileLock
    tracked: TrackedDownload
    cancelled: threading.Event = field(default_factory=threading.Event)


class History(Protocol):
    """Is told of every download, on its thread; must not raise.

    For each repo, the calls come in order: both while the repo's lock is held.
    """

    def began(self, repo_id: str) -> None: ...

    def ended(self, status: DownloadStatus, *, error: str | None, cancelled: bool) -> None:
        """The download is over, well where `error` is None."""


class Downloads:
    """Fetches models, each on a thread of its own; two at a time, others wait their turn.

    on_done: called on such a thread whenever a model has come. history: is told of all.

    The threads are daemons: a Hub that has gone silent cannot keep the process from ending,
    and what came is on disk. Every method may be called from any thread.
    """

    def __init__(
        self,
        config: HubConfig,
        tokens: Tokens,
        *,
        on_done: Callable[[], None] = lambda: None,
        history: History | None = None,
    ) -> None:
        self._config = config
        self._tokens = tokens
        self._on_done = on_done
        self._history = history
        self._turns = threading.Semaphore(AT_ONCE)
        self._lock = threading.Lock()  # over what follows
        self._stopped = False
        self._tasks: dict[str, _Task] = {}
        self._threads: set[threading.Thread] = set()
        self._tracked: list[TrackedDownload] = []

    def start(self, repo_id: str, revision: str = MAIN) -> None:
        """Begin to download and return; may block for as long as `take`.

        Raises InvalidName, AlreadyDownloading if this process or another fetches the repo,
        and DownloadError if the cache cannot be written.
        """
        repo = CachedRepo.of(self._config, check_repo_id(repo_id))
        task = _Task(repo, check_revision(revision), repo.lock(), TrackedDownload(repo_id))
        with self._lock:
            if repo_id in self._tasks:
                raise AlreadyDownloading(repo_id)
        take(task.lock, repo_id)
        thread = threading.Thread(target=self._run, args=(task,), name="download", daemon=True)
        with self._lock:
            if self._stopped:
                task.lock.release()
                raise DownloadError("the server is stopping")
            self._tasks[repo_id] = task
            self._threads.add(thread)
            self._remember(task.tracked)
        thread.start()

    def cancel(self, repo_id: str) -> bool:
        """Ask a download to stop; False if there is none. What came is kept for the next."""
        with self._lock:
            task = self._tasks.get(repo_id)
        if task is not None:
            task.cancelled.set()
        return task is not None

    def statuses(self) -> list[DownloadStatus]:
        """All that run and the last few that ended, newest first."""
        with self._lock:
            tracked = list(self._tracked)
        return [download.status() for download in reversed(tracked)]

    def latest(self) -> list[DownloadStatus]:
        """A few of `statuses`: those that have a turn, then the newest of the others."""
        with self._lock:
            newest = self._tracked[::-1]
        newest.sort(key=lambda download: not download.is_fetching())
        return [download.status() for download in newest[:REMEMBERED]]

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """Start nothing more, cancel what runs, and wait for it, `timeout` seconds at most."""
        with self._lock:
            self._stopped = True
            threads = list(self._threads)
            for task in self._tasks.values():
                task.cancelled.set()
        deadline = time.monotonic() + timeout
        for thread in threads:
            thread.join(max(deadline - time.monotonic(), 0))

    def _remember(self, tracked: TrackedDownload) -> None:
        """Take a download in, in the place of an earlier try at the same repo."""
        self._tracked = [known for known in self._tracked if known.repo_id != tracked.repo_id]
        ended = [known for known in self._tracked if known.status().state != "active"]
        if ended and len(self._tracked) >= REMEMBERED:
            self._tracked.remove(ended[0])
        self._tracked.append(tracked)

    def _run(self, task: _Task) -> None:
        error: str | None = None
        cancelled = False
        if self._history:
            self._history.began(task.tracked.repo_id)
        try:
            with self._turn(task):
                task.tracked.got_turn()
                token = self._tokens.find()
                download_model(
                    RemoteHub(self._config.endpoint, token.value if token else None),
                    task.repo,
                    task.tracked.repo_id,
                    task.revision,
                    progress=task.tracked,
                    cancelled=task.cancelled,
                )
            self._on_done()
        except DownloadError as failure:
            error, cancelled = str(failure), isinstance(failure, Cancelled)
        except Exception:
            logger.exception("downloading %s failed", task.tracked.repo_id)
            error = "internal error; the server's log says more"
        if self._history:
            self._history.ended(task.tracked.status(), error=error, cancelled=cancelled)
        # Whoever reads "done" may start the same download again at once.
        task.lock.release()
        with self._lock:
            del self._tasks[task.tracked.repo_id]
            self._threads.discard(threading.current_thread())
        task.tracked.ended(error)

    @contextmanager
    def _turn(self, task: _Task) -> Iterator[None]:
        while not self._turns.acquire(timeout=TURN_POLL):
            if task.cancelled.is_set():
                raise Cancelled
        try:
            yield
        finally:
            self._turns.release()
