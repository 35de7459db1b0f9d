"""What can go wrong while disk space is reclaimed.

HubError
├── CacheUnreadable    nobody can tell what there is
└── ReclaimFailed      a file could not be deleted; what went before it is gone
"""

from hub.errors import HubError


class CacheUnreadable(HubError):
    """The cache's own folder cannot be read. Its text names no path."""


class ReclaimFailed(HubError):
    """The system refused a deletion. Its text names no path."""
