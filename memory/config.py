"""Where the memory is kept, as one value; `mlxsite.settings` makes it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class VaultConfig:
    """root: the vault's folder. docs_root: of our own README and docs; they may be missing."""

    root: Path
    docs_root: Path
