"""Finds the adapters that lie on this machine, by their configuration alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from inference.adapters.config import AdapterConfig, has_config, read_config, read_fields
from inference.adapters.errors import BadAdapter

MAX_FOUND = 1000


@dataclass(frozen=True, slots=True)
class FoundAdapter:
    """A folder that calls itself an adapter; config: None if it makes no sense."""

    path: Path
    config: AdapterConfig | None

    @property
    def id(self) -> str:
        return self.path.name


def find_adapters(parents: Iterable[Path]) -> list[FoundAdapter]:
    """Return the adapters directly below some folders, each of which may be absent."""
    found: list[FoundAdapter] = []
    for parent in parents:
        for folder in _visible(parent):
            if len(found) == MAX_FOUND:
                return found
            if _is_adapter(folder):
                found.append(FoundAdapter(folder, _config_of(folder)))
    return found


def _visible(parent: Path) -> list[Path]:
    try:
        return sorted(path for path in parent.iterdir() if not path.name.startswith("."))
    except OSError:
        return []


def _is_adapter(path: Path) -> bool:
    try:
        return path.is_dir() and has_config(path)
    except OSError:  # a folder that we may not look into
        return False


def _config_of(folder: Path) -> AdapterConfig | None:
    try:
        return read_config(read_fields(folder))
    except (BadAdapter, OSError):
        return None
