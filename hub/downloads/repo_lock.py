"""Who downloads a repo has its lock; its failures are worded here for all who do."""

from hub.downloads.errors import AlreadyDownloading, DownloadError
from hub.file_lock import FileLock

PATIENCE = 0.5  # seconds; garbage collection holds a repo for moments


def take(lock: FileLock, repo_id: str) -> None:
    """Acquire the lock of a repo; the caller releases it. Blocks for `PATIENCE` at most.

    Raises AlreadyDownloading, or DownloadError if the cache cannot be written.
    """
    try:
        taken = lock.acquire(patience=PATIENCE)
    except OSError as error:
        raise DownloadError(
            f"the Hugging Face cache cannot be written ({error.strerror})"
        ) from error
    if not taken:
        raise AlreadyDownloading(repo_id)
