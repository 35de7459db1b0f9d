"""An event as a line of text, and back. Loads no Django: a job's process needs it early."""

import json
import math
from typing import Any

from jobs.characters import UNKEPT


def encode(event: dict[str, Any]) -> str:
    """One event as a line of strict JSON: NaN and infinities become null, others their text."""
    return json.dumps(_plain(event), separators=(",", ":")) + "\n"


def decode(line: bytes) -> dict[str, Any] | None:
    """The event of a line; None where a line is torn, or is no event."""
    try:
        event = _plain(json.loads(line))
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("type"), str) else None


def _plain(value: Any) -> Any:
    """A value that JSON, UTF-8 and a row can hold: what they cannot becomes null or a mark."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {_text(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, int) else _text(value)


def _text(value: Any) -> str:
    """A text without zero bytes and halves of characters, which databases and streams refuse."""
    return UNKEPT.sub("\ufffd", str(value))
