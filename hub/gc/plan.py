"""What could go from the Hugging Face cache without being missed. Deletes nothing.

A snapshot is kept when a ref names it. Any other is superseded: it can go if the kept ones have
every file of it, by name, and is skipped if not. One that is in use stays as well, and is no
reason for another to go. A blob is dead when no snapshot that stays links to it. While a file
of a repo is on its way, all of it stays; so it does where something of it cannot be read, since
that may be what is missed.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.folders import cached_repos
from hub.gc import contents
from hub.gc.errors import CacheUnreadable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RepoPlan:
    """What can go of one repo.

    prune: superseded snapshots to delete, whole folders. skipped: those that stay, since
    they alone have some file. dead: blobs to delete. reclaim_bytes: what all this frees.
    """

    repo_id: str
    prune: tuple[Path, ...]
    skipped: tuple[Path, ...]
    dead: tuple[Path, ...]
    reclaim_bytes: int


def plan_all(config: HubConfig, *, force: bool = False) -> list[RepoPlan]:
    """Plan for every model of the cache, in the order of repo ids.

    force: prune what would be skipped. Left out are repos with nothing to tell, those that
    are being downloaded, those that are not plain folders, and those that cannot be read.
    Raises CacheUnreadable if the cache itself cannot be.
    """
    plans = []
    for repo_id, repo in repos(config):
        if not repo.lock().is_held() and (plan := plan_repo(repo_id, repo, force=force)):
            plans.append(plan)
    return plans


def repos(config: HubConfig) -> list[tuple[str, CachedRepo]]:
    """Every model of the cache by its repo id; raises CacheUnreadable."""
    try:
        found = list(cached_repos(config))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CacheUnreadable(f"the Hugging Face cache cannot be read ({reason})") from error
    return [(repo_id, CachedRepo.of(config, repo_id)) for repo_id, _folder in found]


def plan_repo(repo_id: str, repo: CachedRepo, *, force: bool = False) -> RepoPlan | None:
    """Plan for one repo, whoever holds its lock; None when there is nothing to tell.

    So it is while another program downloads to the repo, and, with a word in the log, when the
    repo cannot be read whole.
    """
    try:
        return _plan(repo_id, repo, force)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        logger.warning("nothing of %s is deleted: it cannot be read whole (%s)", repo_id, reason)
        return None


def _plan(repo_id: str, repo: CachedRepo, force: bool) -> RepoPlan | None:
    kept = contents.current(repo) if contents.is_plain(repo) else set()
    if not kept:
        return None  # nothing says what is current: then everything may be
    if repo.is_being_written():
        return None  # of a revision asked for by its commit, only locks tell that it is on its way
    provided = {
        name for snapshot in kept for name in _names(snapshot) if (snapshot / name).exists()
    }
    others = [s for s in contents.snapshots(repo) if s not in kept]
    used = [s for s in others if repo.use_lock(s.name).is_shared_or_held()]
    superseded = [s for s in others if s not in used]
    prune = tuple(s for s in superseded if force or _names(s) <= provided)
    skipped = tuple(s for s in superseded if s not in prune)
    dead = _dead_blobs(repo, [*kept, *used, *skipped])
    if not (prune or skipped or dead):
        return None
    files = [*dead, *(file for snapshot in prune for file in contents.files(snapshot))]
    return RepoPlan(repo_id, prune, skipped, dead, sum(map(contents.own_bytes, files)))


def _dead_blobs(repo: CachedRepo, staying: list[Path]) -> tuple[Path, ...]:
    live = {blob for snapshot in staying for blob in contents.linked_blobs(snapshot)}
    return tuple(
        blob for blob in contents.blobs(repo) if blob.parent.resolve() / blob.name not in live
    )


def _names(snapshot: Path) -> set[Path]:
    return {file.relative_to(snapshot) for file in contents.files(snapshot)}
