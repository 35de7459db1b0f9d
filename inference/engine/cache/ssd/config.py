"""How the tier on disk is set up, and whose entries it may read."""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SsdConfig:
    """What the operator decided.

    folder: holds a folder for each model; made when needed.
    max_bytes: of one model's files together, those being written included.
    verify: whether the hash of every tensor is checked when it is read.
    write_behind: whether new prefixes are written while the engine is idle.
    demote_idle_seconds: unused for so long, prefixes leave the memory; None for never.
    queue_bytes: what may wait to be written.
    """

    folder: Path
    max_bytes: int
    verify: bool = False
    write_behind: bool = True
    demote_idle_seconds: float | None = None
    queue_bytes: int = 2 * 2**30


@dataclass(frozen=True, slots=True)
class Origin:
    """What keys and values come from besides tokens and namespace.

    Entries of another origin are no use. Model and scheme name the folder; in it, all of this
    stands in every file.

    model: as people call it.
    fingerprint: changes with the model's files and with how they are run.
    tokenizer: a hash; other tokens would mean other text.
    scheme: how keys and values are kept, `bf16` for as they are.
    layout: whose layer caches these are, with the version.
    """

    model: str
    fingerprint: str
    tokenizer: str
    scheme: str
    layout: str

    @property
    def key(self) -> str:
        """Name the folder of this model and scheme."""
        return f"{self.fingerprint}-{self.scheme}"

    def to_json(self) -> dict[str, str]:
        return asdict(self)


def namespace_key(namespace: str) -> str:
    """Name the folder of a namespace."""
    return hashlib.sha256(namespace.encode()).hexdigest()[:16]
