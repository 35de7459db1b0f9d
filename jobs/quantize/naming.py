"""Where a quantized model goes: its name, and its folder in the Hugging Face cache."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
from hub.downloads.errors import InvalidName
from hub.downloads.names import check_repo_id
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.errors import QuantizeError

LOCAL_OWNER = "local"
"""The owner of what was made of a folder that belongs to no repo."""
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]")
_RUNS = re.compile(r"-{2,}|\.{2,}")  # the cache parts owner and name by two hyphens


@dataclass(frozen=True, slots=True)
class Destination:
    """repo_id: `owner/name`. commit: names the one snapshot; always the same for a repo id."""

    repo: CachedRepo
    repo_id: str

    @property
    def commit(self) -> str:
        return hashlib.sha1(self.repo_id.encode(), usedforsecurity=False).hexdigest()

    @property
    def folder(self) -> Path:
        return self.repo.snapshots / self.commit


def destination(hub: HubConfig, source_id: str, config: QuantizeConfig) -> Destination:
    """Name the output of quantizing `source_id`, a repo id or the name of a folder.

    Raises QuantizeError for a name of which nothing is left, or that is too long.
    """
    owner, _, name = source_id.strip("/").rpartition("/")
    owner = _strip(owner.rpartition("/")[2]) or LOCAL_OWNER
    repo_id = f"{owner}/{_strip(name)}-OptiQ-{config.suffix}"
    try:
        return Destination(CachedRepo.of(hub, check_repo_id(repo_id)), repo_id)
    except InvalidName as error:
        raise QuantizeError(
            f"{source_id[:100]!r} gives the result no name ({error}): rename the folder"
        ) from error


def _strip(name: str) -> str:
    kept = _STRANGE.sub("", name)
    return _RUNS.sub(lambda run: run[0][0], kept).strip("-.")
