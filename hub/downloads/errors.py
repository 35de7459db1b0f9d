"""What can go wrong between this machine and the Hugging Face Hub.

    HubError
    └── DownloadError
        ├── InvalidName           not a repo id, or not a revision
        ├── AlreadyDownloading    this repo is being fetched, here or by another process
        ├── Cancelled             somebody asked it to stop; the next run goes on
        ├── HubUnreachable        no answer, or one that says to try later
        ├── RefusedByHub          an answer that trying again does not change
        │   ├── RepoNotFound      no such repo or revision, or a private one
        │   └── AccessNeeded      a gated repo, or a token that the Hub does not take
        ├── NotAModel             a repo without weights that MLX can load
        ├── CorruptFile           what came is not what the Hub announced, twice
        └── NoRoom                the disk is full, or would be

Texts go to people over HTTP too: one line, what to do, and no path of this machine.
"""

from hub.errors import HubError


class DownloadError(HubError):
    """A download could not be started or finished. What came so far is kept."""


class InvalidName(DownloadError):
    """The name of a repo or of a revision that the Hub would not take."""


class AlreadyDownloading(DownloadError):
    """Another download of the same repo is under way."""

    def __init__(self, repo_id: str) -> None:
        super().__init__(f"a download for {repo_id} is already in progress")


class Cancelled(DownloadError):
    """The download was stopped on request."""

    def __init__(self) -> None:
        super().__init__("cancelled; downloading again goes on where it stopped")


class HubUnreachable(DownloadError):
    """The Hub did not answer, or is out of order."""


class RefusedByHub(DownloadError):
    """The Hub answered no, for good."""


class RepoNotFound(RefusedByHub):
    """There is no such repo, revision or file, as far as the Hub tells."""


class AccessNeeded(RefusedByHub):
    """The Hub wants terms accepted, a token, or another token."""


class NotAModel(DownloadError):
    """The repo holds nothing that MLX could load."""


class CorruptFile(DownloadError):
    """A file whose size or hash is not the announced one."""


class NoRoom(DownloadError):
    """There is too little space on the disk of the cache."""
