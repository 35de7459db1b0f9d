"""What a repo on the Hub holds at one commit, and what of it a model needs."""

from collections.abc import Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Self

from huggingface_hub.hf_api import ModelInfo, RepoSibling

from hub.downloads.content import GIT_NAME, SHA256_NAME, Content
from hub.downloads.errors import NotAModel, RefusedByHub
from hub.downloads.names import is_safe_path
from hub.local_model import CONFIG_FILE
from hub.shards import missing_shard
from hub.weights import INDEX_FILE, WEIGHT_PATTERN

# Data only: pickles (.bin, .pt) and modules (.py) would run as code when they are loaded.
WEIGHTS = "*.safetensors"
PATTERNS = (WEIGHTS, "*.json", "*.jinja", "*.model", "*.tiktoken", "*.txt")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """path: in the repo, parts joined by slashes."""

    path: str
    content: Content


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a model at `commit`, in the order in which they are fetched.

    Small ones come first, so that a repo that cannot be served is known early.
    """

    repo_id: str
    commit: str
    files: tuple[RemoteFile, ...]

    @property
    def size_bytes(self) -> int:
        return sum(file.content.size_bytes for file in self.files)

    @classmethod
    def of(cls, repo_id: str, info: ModelInfo) -> Self:
        """Read the Hub's answer.

        Raises NotAModel for a repo that would be no model once it is here, RefusedByHub for an
        answer that names files we would not write.
        """
        wanted = [file for file in info.siblings or () if _is_wanted(file.rfilename)]
        if reason := _why_no_model({file.rfilename for file in wanted}):
            raise NotAModel(
                f"{repo_id} has {reason}, so MLX cannot load it: "
                "look for a conversion, for instance of mlx-community"
            )
        if info.sha is None or not GIT_NAME.fullmatch(info.sha):
            raise RefusedByHub(f"the Hub names no commit for {repo_id}; nothing was fetched")
        files = [_remote_file(repo_id, file) for file in wanted]
        files.sort(key=lambda file: (fnmatchcase(file.path, WEIGHTS), file.path))
        return cls(repo_id, info.sha, tuple(files))


def _why_no_model(paths: Set[str]) -> str | None:
    """What a repo with these files lacks, by the rules of `hub.weights`; None if nothing.

    Files in folders do not count: MLX reads the top.
    """
    if not any(fnmatchcase(path, WEIGHTS) for path in paths):
        return "no safetensors"
    weights = [path for path in paths if "/" not in path and fnmatchcase(path, WEIGHT_PATTERN)]
    if not weights:
        return f"no {WEIGHT_PATTERN}"
    if CONFIG_FILE not in paths:
        return f"no {CONFIG_FILE}"
    if INDEX_FILE not in paths and (missing := missing_shard(weights)):
        return f"no {missing}"
    return None


def _is_wanted(path: str) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in PATTERNS)


def _remote_file(repo_id: str, file: RepoSibling) -> RemoteFile:
    blob = file.lfs.sha256 if file.lfs is not None else file.blob_id or ""
    size = file.lfs.size if file.lfs is not None else file.size
    is_hash = (SHA256_NAME if file.lfs is not None else GIT_NAME).fullmatch(blob)
    if not is_hash or not isinstance(size, int) or size < 0 or not is_safe_path(file.rfilename):
        raise RefusedByHub(
            f"the Hub describes a file of {repo_id} in a way that is not safe to write "
            f"({file.rfilename[:100]!r}); nothing was fetched"
        )
    return RemoteFile(file.rfilename, Content(blob, size))
