"""Where model folders are, and the repo id that each path stands for. Opens no model."""

from collections.abc import Iterator
from pathlib import Path

from hub.config import HubConfig
from hub.errors import BrokenModel
from hub.model_files import open_file

CACHE_PREFIX = "models--"
SNAPSHOTS = "snapshots"
MAX_REVISION_BYTES = 200  # a commit's hash has 40


def own_folders(config: HubConfig) -> Iterator[tuple[str, Path]]:
    """Yield (repo id, folder) of `<models_dir>/<owner>/<name>/`; hidden folders are not models.

    An install under way lives in a hidden folder until it is complete.
    """
    for owner in _visible_folders(config.models_dir):
        for folder in _visible_folders(owner):
            yield f"{owner.name}/{folder.name}", folder


def cached_repos(config: HubConfig) -> Iterator[tuple[str, Path]]:
    """Yield (repo id, `models--…` folder) of the Hugging Face cache."""
    for folder in _visible_folders(config.hf_cache_dir):
        if folder.name.startswith(CACHE_PREFIX):
            yield folder.name.removeprefix(CACHE_PREFIX).replace("--", "/"), folder


def main_snapshot(repo: Path) -> Path:
    """The snapshot that `refs/main` names; raises BrokenModel when there is none."""
    try:
        with open_file(repo / "refs" / "main") as file:
            revision = file.read(MAX_REVISION_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenModel("its refs/main is missing: the download is not complete") from error
    snapshot = repo / SNAPSHOTS / revision
    if not revision or snapshot.parent.name != SNAPSHOTS or not snapshot.is_dir():
        raise BrokenModel(f"its snapshot {revision or '(none)'} is missing")
    return snapshot


def repo_id_of(path: Path) -> str:
    """The repo id of a folder given by path: from the cache's naming, else its own name."""
    parts = path.absolute().parts
    for index, part in enumerate(parts[:-1]):
        if part.startswith(CACHE_PREFIX) and parts[index + 1] == SNAPSHOTS:
            return part.removeprefix(CACHE_PREFIX).replace("--", "/")
    return path.absolute().name


def _visible_folders(parent: Path) -> list[Path]:
    if not parent.is_dir():
        return []
    return sorted(p for p in parent.iterdir() if p.is_dir() and not p.name.startswith("."))
