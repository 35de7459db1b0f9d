"""A Hugging Face cache built by hand, one repo at a time."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hub.cached_repo import CachedRepo
from hub.config import HubConfig

Build = Callable[..., CachedRepo]
REPO_ID = "owner/model"


@pytest.fixture
def build(config: HubConfig) -> Build:
    """`build({"old": {"config.json": "b1"}, …}, refs={"main": "new"}, blobs=["b9"])`.

    Snapshots by commit: blobs by file. A blob holds its own name ten times over.
    """

    def build(
        snapshots: Mapping[str, Mapping[str, str]],
        refs: Mapping[str, str],
        blobs: tuple[str, ...] = (),
        repo_id: str = REPO_ID,
    ) -> CachedRepo:
        repo = CachedRepo.of(config, repo_id)
        repo.blobs.mkdir(parents=True)
        linked = {blob for files in snapshots.values() for blob in files.values()}
        for blob in linked | set(blobs):
            repo.blob(blob).write_text(blob * 10)
        for commit, files in snapshots.items():
            for file, blob in files.items():
                repo.link(commit, file, blob)
        for revision, commit in refs.items():
            repo.write_ref(revision, commit)
        return repo

    return build


def tree(root: Path) -> set[str]:
    """Every file and link below `root`, as it is found without following links."""
    return {
        os.path.relpath(Path(folder) / name, root)
        for folder, folders, files in os.walk(root)
        for name in (*files, *(f for f in folders if (Path(folder) / f).is_symlink()))
        if not folder.startswith(f"{root}/.locks")
    }
