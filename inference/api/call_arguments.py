"""Reads the arguments of calls that clients send back, as every protocol writes them."""

import json
from collections.abc import Mapping
from typing import Any


def arguments_of(text: str) -> Mapping[str, Any]:
    """Return arguments by name; text that is no JSON object becomes the argument `input`.

    Models write such text, and it must come back to them as they wrote it.
    """
    if not text:
        return {}
    try:
        # Not strict: models leave line breaks unescaped.
        decoded = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return {"input": text}
    if decoded is None:
        return {}
    return decoded if isinstance(decoded, dict) else {"input": text}
