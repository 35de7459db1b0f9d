"""The files of a model folder, opened and read within limits.

Anyone may have made the folder: a file can be a pipe that never ends, or JSON that fills
the memory. Nothing here trusts a size before it has looked.
"""

import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from hub.errors import BrokenModel

# The largest that models bring are tokenizer_config.json files of one megabyte.
MAX_JSON_BYTES = 4 * 2**20
# `[],` is 3 bytes of a file and 64 of memory: the containers have to be counted as well.
MAX_JSON_CONTAINERS = 100_000


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; raises OSError for whatever else has that name."""
    # Without O_NONBLOCK, opening a pipe waits for someone to write to it.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(0, "not a regular file", str(path))
    return file


def read_json(path: Path) -> Any:
    """Parse a JSON file; raises BrokenModel for one that is missing, too large or not JSON."""
    try:
        with open_file(path) as file:
            text = file.read(MAX_JSON_BYTES + 1)
    except OSError as error:
        raise BrokenModel(f"it has no readable {path.name}") from error
    if len(text) > MAX_JSON_BYTES:
        raise BrokenModel(f"its {path.name} is larger than {MAX_JSON_BYTES:,} bytes")
    if text.count(b"[") + text.count(b"{") > MAX_JSON_CONTAINERS:
        raise BrokenModel(
            f"its {path.name} has more than {MAX_JSON_CONTAINERS:,} lists and objects"
        )
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BrokenModel(f"its {path.name} is not JSON") from error


def read_object(path: Path) -> dict[str, Any]:
    """As `read_json`, for a file that must hold an object."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise BrokenModel(f"its {path.name} is not a JSON object")
    return value
