"""From what a browser may tell of a folder, its name, to where the folder lies.

Pages never learn a path from a file picker. So the folder is looked for where models are kept:
in the Hugging Face cache and in our own folders. No other place is ever looked at or told.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hub.errors import BrokenModel
from hub.folders import CACHE_PREFIX, SNAPSHOTS, main_snapshot, repo_id_of
from hub.local_model import CONFIG_FILE
from hub.model_files import read_object
from hub.text_config import model_type
from jobs.folders import has_file

MAX_DEPTH = 4
MAX_FOLDERS = 20_000
MAX_PARTS = 32
_UNSAFE = {"", ".", ".."}


@dataclass(frozen=True, slots=True)
class FoundFolder:
    """repo_id: None for a folder that is no repo's. model_type: None if its config has none."""

    path: Path
    repo_id: str | None
    model_type: str | None


@dataclass(frozen=True, slots=True)
class FolderFinder:
    """hf_cache: the Hugging Face cache. own: further folders of ours, searched in this order."""

    hf_cache: Path
    models_dir: Path
    own: Sequence[Path]

    def find(self, folder_name: str, rel_path: str) -> FoundFolder | None:
        """Find a servable folder; None if there is none.

        folder_name: what the picker calls the folder. rel_path: of a file in it, beginning with
        the folder's name, as browsers tell it; either may be empty. Touches the disk.
        """
        parts = _parts(rel_path)
        name = next(iter(_parts(folder_name)[-1:]), None) or next(iter(parts), None)
        if name is None:
            return None
        inner = parts[1:-1] if parts and parts[0] == name else []
        for candidate in self._candidates(name, parts, inner):
            if self._is_servable(candidate):
                return self._describe(candidate)
        return None

    def _candidates(self, name: str, parts: list[str], inner: list[str]) -> Iterator[Path]:
        for part in (name, *parts):
            if part.startswith(CACHE_PREFIX):
                yield from self._of_repo(self.hf_cache / part, parts)
        yield from sorted(self.hf_cache.glob(f"{CACHE_PREFIX}*/{SNAPSHOTS}/{_literal(name)}"))
        for place in (self.hf_cache, self.models_dir, *self.own):
            for found in _named(place, name):
                yield found.joinpath(*inner)
                yield found

    def _of_repo(self, repo: Path, parts: list[str]) -> Iterator[Path]:
        if SNAPSHOTS in parts[:-1]:
            yield repo / SNAPSHOTS / parts[parts.index(SNAPSHOTS) + 1]
        try:
            yield main_snapshot(repo)
        except BrokenModel:
            yield from sorted((repo / SNAPSHOTS).glob("*"))

    def _is_servable(self, folder: Path) -> bool:
        real = folder.resolve()
        places = (self.hf_cache, self.models_dir, *self.own)
        inside = any(real.is_relative_to(place.resolve()) for place in places)
        return inside and has_file(real, CONFIG_FILE)

    def _describe(self, folder: Path) -> FoundFolder:
        repo_id: str | None = repo_id_of(folder)
        if folder.is_relative_to(self.models_dir):
            repo_id = "/".join(folder.relative_to(self.models_dir).parts[:2])
        try:
            kind = model_type(read_object(folder / CONFIG_FILE))
        except BrokenModel:
            kind = ""
        return FoundFolder(folder, repo_id if repo_id and "/" in repo_id else None, kind or None)


def _parts(path: str) -> list[str]:
    """The safe parts of a path in either notation; none of it if a part is not safe."""
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    return parts if len(parts) <= MAX_PARTS and all(map(_is_safe, parts)) else []


def _is_safe(part: str) -> bool:
    try:
        return part not in _UNSAFE and "\0" not in part and len(part.encode()) <= 255
    except UnicodeEncodeError:  # half a character
        return False


def _literal(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _named(place: Path, name: str) -> Iterator[Path]:
    """Folders of that name below a place, nearest first, hidden ones and links left out."""
    level, seen = [place], 0
    for _ in range(MAX_DEPTH):
        below: list[Path] = []
        for parent in level:
            below.extend(_subfolders(parent))
        seen += len(below)
        if seen > MAX_FOLDERS:
            return
        yield from (folder for folder in below if folder.name == name)
        level = below


def _subfolders(parent: Path) -> list[Path]:
    try:
        with os.scandir(parent) as entries:
            return sorted(
                Path(entry.path)
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []
