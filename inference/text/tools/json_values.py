"""JSON as models write it: what is read here can always be written again as UTF-8 JSON."""

import json
import math
from typing import Any

# Beyond any real argument; json's own limit depends on how deep the caller stands.
_MAX_DEPTH = 100


def decode(text: str) -> Any:
    """Return the value that `text` spells, which may have control characters in strings.

    Lone halves of surrogate pairs become U+FFFD. Raises ValueError for anything else that is
    not JSON, for numbers beyond a float's range, and for nesting beyond 100.
    """
    try:
        value = _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return _tidy(value, _MAX_DEPTH)


def encode(value: Any) -> str:
    """Return `value` as JSON, other than ASCII left as it is."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def type_of(value: Any) -> str:
    """Return the JSON Schema name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is out of range")
    return number


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite)


def _tidy(value: Any, depth: int) -> Any:
    if depth == 0:
        raise ValueError("nested too deeply")
    match value:
        case str():
            return valid_text(value)
        case list():
            return [_tidy(item, depth - 1) for item in value]
        case dict():
            return {valid_text(key): _tidy(item, depth - 1) for key, item in value.items()}
        case _:
            return value


def valid_text(text: str) -> str:
    """Return `text` with pairs of surrogates joined, and lone ones replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
