"""Delete what a plan made now says, and nothing else.

Each repo is planned again under its lock, so no download of ours is under way in it. Other
programs lock what they write: a repo is left as it is while they do, also if they begin after
the plan; each blob is locked, and looked at once more, before it goes.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.gc import contents
from hub.gc.errors import ReclaimFailed
from hub.gc.plan import plan_repo, repos


@dataclass(slots=True)
class Reclaimed:
    """What was deleted, in numbers."""

    snapshots: int = 0
    blobs: int = 0
    bytes: int = 0


def execute(config: HubConfig, *, force: bool = False) -> Reclaimed:
    """Reclaim what `plan_all` would show, and return how much that was.

    Raises CacheUnreadable, and ReclaimFailed when the system refuses a deletion; what could go
    before is gone.
    """
    reclaimed = Reclaimed()
    for repo_id, repo in repos(config):
        try:
            _clean(repo_id, repo, force, reclaimed)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ReclaimFailed(
                f"{repo_id} could not be cleaned up ({reason}); "
                f"{reclaimed.bytes:,} bytes were reclaimed before"
            ) from error
    return reclaimed


def _clean(repo_id: str, repo: CachedRepo, force: bool, reclaimed: Reclaimed) -> None:
    if plan_repo(repo_id, repo, force=force) is None:
        return  # no lock file for a repo that stays as it is
    with repo.lock() as lock:
        if not lock.acquire():
            return
        plan = plan_repo(repo_id, repo, force=force)
        if plan is None:
            return
        for snapshot in plan.prune:
            if repo.is_being_written():
                return
            freed = sum(map(contents.own_bytes, contents.files(snapshot)))
            shutil.rmtree(snapshot)
            reclaimed.snapshots += 1
            reclaimed.bytes += freed
        for blob in plan.dead:
            if repo.is_being_written():
                return
            _delete_blob(repo, blob, reclaimed)


def _delete_blob(repo: CachedRepo, blob: Path, reclaimed: Reclaimed) -> None:
    with repo.blob_lock(blob.name) as lock:
        if not lock.acquire() or _is_linked(repo, blob):
            return
        freed = contents.own_bytes(blob)
        blob.unlink()
        reclaimed.blobs += 1
        reclaimed.bytes += freed


def _is_linked(repo: CachedRepo, blob: Path) -> bool:
    real = blob.parent.resolve() / blob.name
    return any(real in contents.linked_blobs(s) for s in contents.snapshots(repo))
