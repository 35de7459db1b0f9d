"""Our own documentation in the vault: which page mirrors which file.

A mirror is a link to the file, so it is always what this version says. Where the files are not
installed there is none. A real file of such a name is the user's, and stays.
"""

import os
from pathlib import Path

MIRRORS = {
    "mlxsite_README": "README.md",
    "mlxsite_Server_API": "docs/api.md",
    "mlxsite_Server_Config": "docs/configuration.md",
    "mlxsite_Clients": "docs/clients.md",
    "mlxsite_Architecture": "docs/architecture.md",
    "mlxsite_Glossary": "docs/glossary.md",
    "mlxsite_Benchmarks": "docs/benchmarks.md",
}
"""Paths below the folder of the project, by the stem of the page."""


def mirrored_files(docs_root: Path) -> dict[Path, str]:
    """Return the stems of the files that there are, by their real path."""
    files = ((docs_root / path, stem) for stem, path in MIRRORS.items())
    found = ((real_path(file), stem) for file, stem in files)
    return {file: stem for file, stem in found if os.path.isfile(file)}  # noqa: PTH113 - never raises


def real_path(path: Path) -> Path:
    """Return where a path leads, as far as there is anything; a loop of links leads nowhere."""
    return Path(os.path.realpath(path))  # `Path.resolve` raises for loops, and not always OSError


def write_mirrors(folder: Path, docs_root: Path) -> list[str]:
    """Make the links that are missing, and lead those right that lead elsewhere.

    Returns the names of the files that were made. Raises OSError.
    """
    made: list[str] = []
    for file, stem in mirrored_files(docs_root).items():
        link = folder / f"{stem}.md"
        if link.is_symlink():
            if real_path(link) == file:
                continue
            link.unlink()
        elif link.exists():
            continue
        link.symlink_to(file)
        made.append(link.name)
    return made
