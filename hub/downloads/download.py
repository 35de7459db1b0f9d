"""Download one model: ask what there is, make sure that it fits, fetch, and show it.

A model appears by its ref, which is written last: until then nothing lists it, and an older
revision goes on being the one that is served.
"""

import errno
import threading
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.downloads.completeness import is_index, require_shards
from hub.downloads.disk_space import require_room
from hub.downloads.errors import Cancelled, DownloadError, NoRoom
from hub.downloads.listing import Listing
from hub.downloads.progress import Progress
from hub.downloads.remote import RemoteHub
from hub.downloads.transfer import Transfer

# Seconds to wait after a connection broke, as often as nothing came in between.
RETRY_WAITS = (1.0, 2.0, 4.0, 8.0)


def download_model(
    hub: RemoteHub,
    repo: CachedRepo,
    repo_id: str,
    revision: str,
    *,
    progress: Progress,
    cancelled: threading.Event,
) -> Path:
    """Have the model complete in the cache, and return its snapshot.

    Call it with `repo.lock` held. Blocks for as long as it takes; setting `cancelled` ends it
    within a block, or within the time that the Hub stays silent. Safe to kill at any moment:
    the next run goes on from what has come. Raises a DownloadError.
    """
    if cancelled.is_set():
        raise Cancelled
    try:
        listing = hub.list_model(repo_id, revision)
        progress.planned(files=len(listing.files), size=listing.size_bytes)
        require_room(repo.folder, _missing_bytes(repo, listing), repo_id)
        transfer = Transfer(hub, repo, listing, progress, cancelled, RETRY_WAITS)
        for file in listing.files:
            transfer.obtain(file)
            if is_index(file):  # before the weights, which take long
                require_shards(listing, file, repo.blob(file.content.blob))
        return _show(repo, listing, revision)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoRoom(
                f"the disk is full: free some space, then download {repo_id} again"
            ) from error
        reason = error.strerror or type(error).__name__
        raise DownloadError(f"the Hugging Face cache cannot be written ({reason})") from error


def _missing_bytes(repo: CachedRepo, listing: Listing) -> int:
    """What has yet to come, by size alone: hashes are looked at file by file."""
    missing = 0
    for content in {file.content for file in listing.files}:  # two files may share one
        size = _size_of(repo.blob(content.blob))
        if size != content.size_bytes:
            missing += max(content.size_bytes - _size_of(repo.partial(content.blob)), 0)
    return missing


def _size_of(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _show(repo: CachedRepo, listing: Listing, revision: str) -> Path:
    for file in listing.files:
        repo.link(listing.commit, file.path, file.content.blob)
    if revision != listing.commit:
        repo.write_ref(revision, listing.commit)
    return repo.snapshots / listing.commit
