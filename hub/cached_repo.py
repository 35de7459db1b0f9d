"""One repo in the Hugging Face cache: where its files are, and who may change them.

The layout is that of `huggingface_hub`, so other programs find what we fetched and we find
what they did:

    models--owner--name/
        blobs/<hash>                    the contents, named by their hash
        blobs/<hash>.incomplete         one on its way
        snapshots/<commit>/<file>       links to blobs
        refs/<revision>                 the commit that a branch or a tag stands for
    .locks/models--owner--name/         a lock for each blob, theirs, and one for the repo, ours;
                                        ours as well: marks of snapshots that are in use
"""

import os
from dataclasses import dataclass
from pathlib import Path

from hub.config import HubConfig
from hub.file_lock import FileLock
from hub.folders import CACHE_PREFIX

PARTIAL_SUFFIX = ".incomplete"
LOCK_SUFFIX = ".lock"
USE_SUFFIX = ".in-use"


@dataclass(frozen=True, slots=True)
class CachedRepo:
    """The places of one repo below `cache_dir`; none of them need exist."""

    cache_dir: Path
    folder_name: str

    @classmethod
    def of(cls, config: HubConfig, repo_id: str) -> "CachedRepo":
        return cls(config.hf_cache_dir, CACHE_PREFIX + repo_id.replace("/", "--"))

    @property
    def folder(self) -> Path:
        return self.cache_dir / self.folder_name

    @property
    def blobs(self) -> Path:
        return self.folder / "blobs"

    @property
    def snapshots(self) -> Path:
        return self.folder / "snapshots"

    @property
    def refs(self) -> Path:
        return self.folder / "refs"

    def blob(self, name: str) -> Path:
        return self.blobs / name

    def partial(self, name: str) -> Path:
        return self.blobs / (name + PARTIAL_SUFFIX)

    def lock(self) -> FileLock:
        """The right to add to the repo or to take from it; one process and one thread at a time."""
        return FileLock(self._locks / "repo.lock")

    def blob_lock(self, name: str) -> FileLock:
        """What `huggingface_hub` holds while it writes a blob and links to it."""
        return FileLock(self._locks / (name + LOCK_SUFFIX))

    def use_lock(self, commit: str) -> FileLock:
        """What every process shares that may have to read the snapshot again."""
        return FileLock(self._locks / (commit + USE_SUFFIX))

    def is_being_written(self) -> bool:
        """Whether another program fetches files of the repo now; our own lock does not count.

        Between two files it holds no lock for a moment. Raises OSError.
        """
        if not self._locks.is_dir():
            return False
        ours = self.lock().path
        return any(
            FileLock(path).is_held()
            for path in self._locks.iterdir()
            if path.suffix == LOCK_SUFFIX and path != ours
        )

    @property
    def _locks(self) -> Path:
        return self.cache_dir / ".locks" / self.folder_name

    def link(self, commit: str, file: str, blob: str) -> None:
        """Make `snapshots/<commit>/<file>` lead to a blob. Call it under `lock`."""
        place = self.snapshots / commit / file
        place.parent.mkdir(parents=True, exist_ok=True)
        target = os.path.relpath(self.blob(blob), place.parent)
        if place.is_symlink() and str(place.readlink()) == target:
            return
        draft = self.folder / ".link"
        draft.unlink(missing_ok=True)
        draft.symlink_to(target)
        draft.replace(place)

    def write_ref(self, revision: str, commit: str) -> None:
        """Let a branch or a tag stand for `commit`, in one step. Call it under `lock`."""
        place = self.refs / revision
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = self.folder / ".ref"
        draft.write_text(commit, encoding="utf-8")
        draft.replace(place)
