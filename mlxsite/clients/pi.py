"""pi's extension file: where it lies, what is in it, and whose it is.

`manage.py harness_pi` calls this. The extension itself is `mlxsite-provider.ts` beside this
module, with two constants to fill in.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ServedModel = Mapping[str, Any]
"""A row of `/v1/models`, cut down to `FIELDS`."""

FIELDS = ("id", "owned_by", "context_window", "reasoning", "vision")
TEMPLATE = Path(__file__).with_name("mlxsite-provider.ts")
_MARK = "// mlxsite as a provider of pi"
_CONSTANTS = re.compile(r'^const BASE_URL = (".*");\n(?:.*\n)*?^const STORED.* = (\[.*\]);$', re.M)


class NotOurs(Exception):
    """A file of that name is there which this project did not write."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} was not written by harness_pi; move it away, then try again")


def extension_path(agent_dir: Path) -> Path:
    """Return where pi, with its folder at `agent_dir`, looks for our extension."""
    return agent_dir / "extensions" / TEMPLATE.name


def install(path: Path, base_url: str, models: Sequence[ServedModel]) -> list[ServedModel]:
    """Write the extension, whole or not at all; return the models that are stored in it.

    base_url: with `/v1`. models: what is served now; if empty, those that an earlier install
    has stored for the same server are kept. Raises NotOurs, OSError.
    """
    earlier = _read(path)
    stored = list(models) or _stored(earlier, base_url)
    text = TEMPLATE.read_text(encoding="utf-8")
    text = text.replace('"@BASE_URL@"', json.dumps(base_url))
    text = text.replace('"@STORED@"', json.dumps(stored))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
    return stored


def remove(path: Path) -> bool:
    """Remove the extension; tell whether there was one. Raises NotOurs, OSError."""
    if not _read(path):
        return False
    path.unlink()
    return True


def _read(path: Path) -> str:
    """Return the text of our file, empty if there is none. Raises NotOurs, OSError."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    if not text.startswith(_MARK):
        raise NotOurs(path)
    return text


def _stored(text: str, base_url: str) -> list[ServedModel]:
    """Read the models back that an extension for the same server has stored."""
    found = _CONSTANTS.search(text)
    try:
        url, rows = (json.loads(value) for value in found.groups()) if found else ("", [])
    except ValueError:  # somebody edited the file
        return []
    whole: list[ServedModel] = [
        row for row in rows if isinstance(row, dict) and row.keys() >= set(FIELDS)
    ]
    return whole if url == base_url else []
