"""What a file must hold to be the one that the Hub announced: its size and its hash.

The Hub names contents by hash: SHA-256 for what it keeps in LFS (weights, tokenizers), and
git's own SHA-1 of a blob for small files. The name is the ETag, and the name of the blob in
the cache.
"""

import hashlib
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from hub.downloads.errors import Cancelled

BLOCK_BYTES = 1 << 20
SHA256_NAME = re.compile(r"[0-9a-f]{64}")
GIT_NAME = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Content:
    """blob: the hash in lower-case hexadecimal, by its length SHA-256 or git's SHA-1."""

    blob: str
    size_bytes: int

    def matches(self, path: Path, cancelled: threading.Event) -> bool:
        """Whether the file at `path` is this content; reads all of it if the size is right.

        Raises Cancelled between two blocks, and OSError.
        """
        if not path.is_file() or path.stat().st_size != self.size_bytes:
            return False
        if SHA256_NAME.fullmatch(self.blob):
            digest = hashlib.sha256()
        else:
            digest = hashlib.sha1(b"blob %d\0" % self.size_bytes, usedforsecurity=False)
        with path.open("rb") as file:
            while block := file.read(BLOCK_BYTES):
                if cancelled.is_set():
                    raise Cancelled
                digest.update(block)
        return digest.hexdigest() == self.blob
