"""Reads request bodies of the jobs' routes: one JSON object, of which rows can keep every part."""

import math
import re
from typing import Any

from django.http import HttpRequest

from hub.api import body
from jobs.api.answers import BadRequest

MOST_LEVELS = 100
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def read_object(request: HttpRequest) -> dict[str, Any]:
    """Parse the body; none at all counts as an empty object. Raises BadRequest.

    Python reads more than JSON: NaN, infinities, halves of characters. What it can nest it
    cannot always write again. None of that gets past here.
    """
    value = body.read_object(request)
    level: list[Any] = [value]
    for _ in range(MOST_LEVELS):
        if not level:
            return value
        level = [part for each in level for part in _parts(each)]
    raise BadRequest(f"invalid JSON body: nested more than {MOST_LEVELS} deep")


def read_text(request: HttpRequest, name: str) -> str:
    """Return a field of the body that is text and not blank, trimmed; raises BadRequest."""
    value = read_object(request).get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadRequest(f"{name} required")
    return value.strip()


def _parts(value: Any) -> list[Any]:
    """What is in a value that is sound itself."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, list):
        return value
    if isinstance(value, str) and _HALF_CHARACTER.search(value):
        raise BadRequest("invalid JSON body: half a character, a surrogate, is no text")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRequest("invalid JSON body: NaN and infinities are no numbers")
    return []
