"""Finds the adapters that lie on this machine, by their configuration alone."""

from collections.abc import Iterable, Iterator
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
        for folder in _visible_folders(parent):
            if len(found) == MAX_FOUND:
                return found
            if has_config(folder):
                found.append(FoundAdapter(folder, _config_of(folder)))
    return found


def _visible_folders(parent: Path) -> Iterator[Path]:
    try:
        children = sorted(parent.iterdir())
    except OSError:
        return
    yield from (path for path in children if not path.name.startswith(".") and path.is_dir())


def _config_of(folder: Path) -> AdapterConfig | None:
    try:
        return read_config(read_fields(folder))
    except (BadAdapter, OSError):
        return None
