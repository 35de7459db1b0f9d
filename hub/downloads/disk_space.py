"""Whether a download fits, asked before its first byte."""

import shutil
from pathlib import Path

from hub.downloads.errors import NoRoom
from hub.sizes import in_gb

# What is left to everybody else on the disk: a full one breaks more than a download.
RESERVE_BYTES = 2**30


def require_room(folder: Path, needed: int, what: str) -> None:
    """Raise NoRoom unless `needed` bytes, and a reserve, are free where `folder` is or will be."""
    if not needed:
        return
    existing = next(place for place in (folder, *folder.parents) if place.exists())
    free = shutil.disk_usage(existing).free
    if free < needed + RESERVE_BYTES:
        raise NoRoom(
            f"{what} needs {in_gb(needed)} and {in_gb(RESERVE_BYTES)} to spare, and "
            f"{in_gb(free)} are free: free some space, or set HF_HUB_CACHE to a folder on another "
            "disk"
        )
