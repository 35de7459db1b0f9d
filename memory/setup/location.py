"""Where a vault may be made."""

import tempfile
from pathlib import Path

from memory.errors import OutsideVault


def confined(path: str, root: Path) -> Path:
    """Return the real path that `path` means: `root`, or below it or a folder for temporary files.

    Links are followed as far as the path exists, so none leads out. Raises OutsideVault.
    """
    try:
        found = Path(path).expanduser().resolve()
        home, temporary = root.resolve(), Path(tempfile.gettempdir()).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop, no home, a NUL
        raise OutsideVault from error
    if not path or not (found.is_relative_to(home) or temporary in found.parents):
        raise OutsideVault
    return found
