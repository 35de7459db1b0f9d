"""Where a vault may be made."""

import tempfile
from pathlib import Path

from memory.errors import OutsideVault


def confined(path: str, root: Path) -> Path:
    """Return the real path that `path` means, below `root` or a folder for temporary files.

    Links are followed as far as the path exists, so none leads out. Raises OutsideVault.
    """
    try:
        found = Path(path).expanduser().resolve()
        allowed = [root.resolve(), Path(tempfile.gettempdir()).resolve()]
    except (OSError, RuntimeError, ValueError) as error:  # a loop, no home, a NUL
        raise OutsideVault from error
    if not path or not any(found.is_relative_to(folder) for folder in allowed):
        raise OutsideVault
    return found
