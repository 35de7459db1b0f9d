"""What a repo folder of the Hugging Face cache holds, looked at without following links.

Nothing outside the folder is ever named: what is a link where the layout has a folder makes
the whole repo none of our business. What cannot be read raises OSError, everywhere: taken for
absent, what it names or links would be deleted.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from hub.cached_repo import LOCK_SUFFIX, PARTIAL_SUFFIX, CachedRepo

# Files that belong to a download under way.
NEVER = (PARTIAL_SUFFIX, LOCK_SUFFIX)


def is_plain(repo: CachedRepo) -> bool:
    """Whether the repo and its folders are where the layout says, themselves and not by links."""
    root = repo.cache_dir.resolve()
    places = [repo.folder, repo.blobs, repo.snapshots, repo.refs]
    if repo.snapshots.is_dir():
        places += repo.snapshots.iterdir()
    return all(
        place.resolve() == root / place.relative_to(repo.cache_dir) and not place.is_symlink()
        for place in places
    )


def snapshots(repo: CachedRepo) -> list[Path]:
    """Every snapshot, in the order of commits."""
    if not repo.snapshots.is_dir():
        return []
    return sorted(place for place in repo.snapshots.iterdir() if place.is_dir())


def current(repo: CachedRepo) -> set[Path]:
    """The snapshots that a ref names."""
    if not repo.refs.is_dir():
        return set()
    # Git's names begin with no dot; those of a file manager's notes do.
    refs = [ref for ref in files(repo.refs) if ref.is_file() and not ref.name.startswith(".")]
    commits = {_text(ref) for ref in refs}
    return {snapshot for snapshot in snapshots(repo) if snapshot.name in commits}


def files(root: Path) -> Iterator[Path]:
    """Every entry below a folder that is not a folder, links that lead nowhere included."""
    for folder, names, others in os.walk(root, onerror=_raise):
        linked = [name for name in names if (Path(folder) / name).is_symlink()]
        yield from (Path(folder) / name for name in (*others, *linked))


def linked_blobs(snapshot: Path) -> set[Path]:
    """What the links of a snapshot lead to, by real path: each first step, and its end."""
    found: set[Path] = set()
    for file in files(snapshot):
        if file.is_symlink():
            step = file.parent / file.readlink()
            found |= {step.parent.resolve() / step.name, file.resolve()}
    return found


def blobs(repo: CachedRepo) -> list[Path]:
    """The blobs, in the order of names; neither what is on its way nor locks."""
    if not repo.blobs.is_dir():
        return []
    return sorted(
        place
        for place in repo.blobs.iterdir()
        if (place.is_symlink() or place.is_file())
        and not place.name.startswith(".")
        and not place.name.endswith(NEVER)
    )


def own_bytes(place: Path) -> int:
    """What deleting a file frees: nothing for a link."""
    return 0 if place.is_symlink() else place.stat().st_size


def _text(ref: Path) -> str:
    try:
        return ref.read_text(encoding="utf-8").strip()
    except UnicodeDecodeError as error:
        raise OSError(errno.EINVAL, "a ref that is not text", str(ref)) from error


def _raise(error: OSError) -> None:
    raise error
