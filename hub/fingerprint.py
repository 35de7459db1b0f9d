"""Whether a folder is still what it was, from names, sizes and times alone."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from hub.folders import SNAPSHOTS

# Read of a model folder besides its top: one level down, where these stand.
_SUBFOLDERS = ("1_Pooling", "optiq")


def fingerprint(folder: Path) -> str:
    """Sixteen hex digits that change with any file that is read of a model folder.

    Links are followed, as the Hugging Face cache is made of them. Raises OSError for a
    folder that is not there.
    """
    lines = sorted(_facts(folder, ""))
    return hashlib.blake2b("\n".join(lines).encode(errors="replace"), digest_size=8).hexdigest()


def snapshot_of(folder: Path) -> str:
    """Name this state of a model folder: the cache's revision, elsewhere the fingerprint."""
    return folder.name if folder.parent.name == SNAPSHOTS else fingerprint(folder)


def _facts(folder: str | Path, prefix: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                facts = entry.stat()
            except OSError:
                yield f"{prefix}{entry.name} -"  # a link to nowhere, until the download ends
                continue
            yield f"{prefix}{entry.name} {facts.st_size} {facts.st_mtime_ns}"
            if not prefix and entry.name in _SUBFOLDERS and entry.is_dir():
                yield from _facts(entry.path, f"{entry.name}/")
