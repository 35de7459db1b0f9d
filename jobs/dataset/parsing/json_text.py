"""JSON from people and from models: strict where it is read whole, found where text is around it.

Everything here raises ValueError, and nothing else, for what is no JSON.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from jobs.levels import walk

MOST_TRIES = 200  # places in a text at which a value might begin


def parse(text: str) -> Any:
    """Parse a text that is JSON and nothing else. NaN and infinities are no JSON, in any form."""
    try:
        value = _STRICT.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    _require_shallow(value)
    return value


def parse_at(text: str, place: int) -> tuple[Any, int]:
    """Parse the value that begins at a place; return it and where it ends.

    It may have numbers that are too large, such as 1e999, and be as deep as Python can read it.
    """
    return _decode(_DECODER, text, place)


def find_values(text: str, opening: str) -> Iterator[Any]:
    """Yield the outermost values that begin with `opening`, a bracket, wherever they stand."""
    place, tries = text.find(opening), 0
    while place >= 0 and tries < MOST_TRIES:
        try:
            value, end = _decode(_STRICT, text, place)
            _require_shallow(value)
        except ValueError:
            end = place + 1
        else:
            yield value
        tries += 1
        place = text.find(opening, end)


def dump(value: Any) -> str:
    """A value as text: a string as it is, nothing for null, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits)


def _decode(decoder: json.JSONDecoder, text: str, place: int) -> tuple[Any, int]:
    try:
        return decoder.raw_decode(text, place)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _require_shallow(value: Any) -> None:
    for _ in walk(value):
        pass


_DECODER = json.JSONDecoder(parse_constant=_refuse, strict=False)
_STRICT = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite, strict=False)
