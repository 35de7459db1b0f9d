"""Reads request bodies of the jobs' routes: one JSON object, of which rows can keep every part."""

import math
from typing import Any

from django.http import HttpRequest

from hub.api import body
from jobs.api.answers import BadRequest
from jobs.characters import HALF
from jobs.levels import MOST_LEVELS, TooDeep, walk


def read_object(request: HttpRequest) -> dict[str, Any]:
    """Parse the body; none at all counts as an empty object. Raises BadRequest.

    Python reads more than JSON: NaN, infinities, halves of characters. What it can nest it
    cannot always write again. None of that gets past here.
    """
    value = body.read_object(request)
    try:
        for part in walk(value):
            _check(part)
    except TooDeep as error:
        raise BadRequest(f"invalid JSON body: nested more than {MOST_LEVELS} deep") from error
    return value


def read_text(request: HttpRequest, name: str) -> str:
    """Return a field of the body that is text and not blank, trimmed; raises BadRequest."""
    return body.text_of(read_object(request), name)


def _check(value: Any) -> None:
    if isinstance(value, str) and HALF.search(value):
        raise BadRequest("invalid JSON body: half a character, a surrogate, is no text")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadRequest("invalid JSON body: NaN and infinities are no numbers")
