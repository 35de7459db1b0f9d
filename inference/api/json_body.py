"""Reads request bodies: JSON in, or an error that says what is wrong with it.

Bodies are read by hand rather than through Ninja, whose errors have a shape of their own;
the texts are those of mlx_lm.server, which clients know.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar

from inference.errors import InvalidRequest


def read_object(raw: bytes) -> dict[str, Any]:
    """Parse a body; raises InvalidRequest unless it is one JSON object."""
    try:
        # RecursionError: a body of brackets only.
        value = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("invalid JSON body") from error
    if not isinstance(value, dict):
        raise InvalidRequest("invalid JSON body")
    return value


D = TypeVar("D", bool, None)


def boolean(body: Mapping[str, Any], name: str, default: D) -> bool | D:
    """Return a field that is true or false; absent and null give the default."""
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise InvalidRequest(f"{name} must be of type bool", name)
    return value


def integer(
    body: Mapping[str, Any],
    name: str,
    *,
    at_least: int,
    at_most: int | None = None,
    unset: int | None = None,
) -> int | None:
    """Return a whole number in range; absent, null and `unset` give None."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidRequest(f"{name} must be of type int", name)
    if value == unset:
        return None
    _check_range(name, value, at_least, at_most)
    return value


def number(
    body: Mapping[str, Any],
    name: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
) -> float | None:
    """Return a finite number in range; absent and null give None."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise InvalidRequest(f"{name} must be of type ('float', 'int')", name)
    _check_range(name, value, at_least, at_most)
    if (finite := finite_float(value)) is None:
        raise InvalidRequest(f"{name} must be a finite number", name)
    return finite


def finite_float(value: float) -> float | None:
    """Return a JSON number as a float; None where no float is large enough."""
    try:
        converted = float(value)
    except OverflowError:
        return None
    return converted if math.isfinite(converted) else None


def json_object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a field that is an object; absent and null give an empty one."""
    value = body.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidRequest(f"{name} must be an object", name)
    return value


def _check_range(name: str, value: float, at_least: float | None, at_most: float | None) -> None:
    if at_least is not None and value < at_least:
        raise InvalidRequest(f"{name} must be at least {at_least}", name)
    if at_most is not None and value > at_most:
        raise InvalidRequest(f"{name} must be at most {at_most}", name)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
