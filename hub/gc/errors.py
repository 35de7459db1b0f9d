"""What can go wrong while disk space is reclaimed.

HubError
└── ReclaimFailed    a file could not be deleted; what went before it is gone
"""

from hub.errors import HubError


class ReclaimFailed(HubError):
    """The system refused a deletion. Its text names no path."""
