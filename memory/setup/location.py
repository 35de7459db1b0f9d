"""Where a vault may be made."""

import os
import tempfile
from pathlib import Path

from memory.errors import ForeignVault, OutsideVault
from memory.ownership import is_own


def confined(path: str, root: Path) -> Path:
    """Return the real path that `path` means: `root`, or below it or a folder for temporary files.

    Links are followed as far as the path exists, so none leads out. Raises OutsideVault, and
    ForeignVault for a folder within another user's, who could put another one in its place.
    """
    try:
        found = Path(path).expanduser().resolve()
        home, temporary = root.resolve(), Path(tempfile.gettempdir()).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a loop, no home, a NUL
        raise OutsideVault from error
    if not path or not (found.is_relative_to(home) or temporary in found.parents):
        raise OutsideVault
    if not found.is_relative_to(home):
        for folder in (found, *found.parents):
            if folder == temporary:
                break
            if os.path.lexists(folder) and not is_own(folder):
                raise ForeignVault
    return found
