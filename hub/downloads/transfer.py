"""Bring one file of a repo into the cache, from wherever an earlier run stopped.

What has come is on disk at once, in a file of its own beside its place, so whoever kills us
loses nothing. Only when size and hash are those announced does it get its name.

`hf_hub_download` is not used: it gives every run a new temporary file, and so begins a file
of some gigabytes again from its first byte.
"""

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.downloads.content import Content
from hub.downloads.errors import Cancelled, CorruptFile, HubUnreachable
from hub.downloads.listing import Listing, RemoteFile
from hub.downloads.progress import Progress
from hub.downloads.remote import RemoteHub


@dataclass(frozen=True, slots=True)
class Transfer:
    """Fetches the files of one listing into `repo`. Call it under the repo's lock.

    waits: seconds before each further try, as long as nothing came in between.
    """

    hub: RemoteHub
    repo: CachedRepo
    listing: Listing
    progress: Progress
    cancelled: threading.Event
    waits: Sequence[float]

    def obtain(self, file: RemoteFile) -> None:
        """Have the whole file as a blob; one that is here already is checked, not trusted.

        Raises a DownloadError, or OSError when the disk refuses.
        """
        self.progress.began(file.path)
        if self._is_here(file.content):
            self.progress.found(file.content.size_bytes)
        else:
            self._fetch(file)
        self.progress.finished()

    def _is_here(self, content: Content) -> bool:
        blob = self.repo.blob(content.blob)
        if content.matches(blob, self.cancelled):
            return True
        blob.unlink(missing_ok=True)
        return False

    def _fetch(self, file: RemoteFile) -> None:
        partial = self.repo.partial(file.content.blob)
        partial.parent.mkdir(parents=True, exist_ok=True)
        if _size(partial) > file.content.size_bytes:
            partial.unlink()
        self.progress.found(_size(partial))
        if not self._complete(file, partial) and not self._complete(file, partial):
            raise CorruptFile(
                f"{file.path} came with another content than the Hub announced, twice; "
                "it was not kept"
            )
        partial.replace(self.repo.blob(file.content.blob))

    def _complete(self, file: RemoteFile, partial: Path) -> bool:
        """Receive what is missing; False, and nothing kept, if the content is wrong then."""
        self._receive_persistently(file, partial)
        if file.content.matches(partial, self.cancelled):
            return True
        self.progress.dropped(_size(partial))
        partial.unlink()
        return False

    def _receive_persistently(self, file: RemoteFile, partial: Path) -> None:
        """Receive until the size is reached, over as many connections as it takes."""
        failures, most = 0, _size(partial)
        while True:
            try:
                self._receive(file, partial)
                return
            except HubUnreachable:
                if (size := _size(partial)) > most:
                    failures, most = 0, size
                if failures == len(self.waits):
                    raise
                if self.cancelled.wait(self.waits[failures]):
                    raise Cancelled from None
                failures += 1

    def _receive(self, file: RemoteFile, partial: Path) -> None:
        with partial.open("ab") as output:
            offset = output.tell()
            missing = file.content.size_bytes - offset
            if not missing:
                return
            with self.hub.open(
                self.listing.repo_id, self.listing.commit, file.path, offset=offset
            ) as (blocks, start):
                if start != offset:
                    output.truncate(0)
                    self.progress.dropped(offset)
                    missing = file.content.size_bytes
                for block in blocks:
                    wanted = block[:missing]  # what is too much is nothing that was announced
                    output.write(wanted)
                    self.progress.received(len(wanted))
                    missing -= len(wanted)
                    if self.cancelled.is_set():
                        raise Cancelled
                    if len(wanted) < len(block):
                        break
            if missing:
                raise HubUnreachable(f"the Hub ended {file.path} {missing:,} bytes too early")
            output.flush()
            os.fsync(output.fileno())


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
