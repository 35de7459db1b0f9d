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

    An install under way lives in a hidden folder until it is complete. An owner whose folder
    cannot be read stands for what is in it. Raises OSError if `models_dir` cannot be.
    """
    for owner in _visible_folders(config.models_dir):
        try:
            folders = _visible_folders(owner)
        except OSError:
            yield owner.name, owner  # who opens it learns why
        else:
            for folder in folders:
                yield f"{owner.name}/{folder.name}", folder


def cached_repos(config: HubConfig) -> Iterator[tuple[str, Path]]:
    """Yield (repo id, `models--…` folder) of the Hugging Face cache; raises OSError."""
    for folder in _visible_folders(config.hf_cache_dir):
        if folder.name.startswith(CACHE_PREFIX):
            yield folder.name.removeprefix(CACHE_PREFIX).replace("--", "/"), folder


def main_snapshot(repo: Path) -> Path:
    """The snapshot that `refs/main` names; raises BrokenModel when there is none."""
    try:
        with open_file(repo / "refs" / "main") as file:
            revision = file.read(MAX_REVISION_BYTES).decode().strip()
        snapshot = repo / SNAPSHOTS / revision
        is_there = snapshot.is_dir()
    except FileNotFoundError as error:
        raise BrokenModel("its refs/main is missing: the download is not complete") from error
    except UnicodeDecodeError as error:
        raise BrokenModel("its refs/main is not text") from error
    except OSError as error:
        raise BrokenModel(f"its folder cannot be read ({error.strerror})") from error
    if not revision or snapshot.parent.name != SNAPSHOTS or not is_there:
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
    return sorted(p for p in parent.iterdir() if not p.name.startswith(".") and _is_folder(p))


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return True  # for all we know
