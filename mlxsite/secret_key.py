"""Django's secret key: made once, kept in the state folder, readable by its owner only."""

import os
import secrets
from pathlib import Path


def load_or_create(path: Path) -> str:
    """Return the key in `path`, writing a new one (mode 0600) where there is none.

    Two processes that start together agree on one key. Raises OSError when the folder
    cannot be written or the file cannot be read.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
        try:
            os.link(draft, path)  # unlike a rename, never replaces the key another process made
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()
