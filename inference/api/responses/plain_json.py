"""Whether a value that was read as JSON can be written as JSON again.

A response repeats parts of its request, and the store measures them; both must not fail.
"""

import math
from collections.abc import Collection

from inference.errors import InvalidRequest

MAX_DEPTH = 100


def check_plain(value: object) -> None:
    """Raise InvalidRequest for a value nested too deep, or with a number that is not finite."""
    level: Collection[object] = (value,)
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if any(type(child) is float and not math.isfinite(child) for child in level):
            raise InvalidRequest("numbers in the body must be finite; 1e999, say, is not")
        if not level:
            return
    raise InvalidRequest(
        f"the body is nested deeper than {MAX_DEPTH} levels, which is the limit; flatten it"
    )


def _children(value: object) -> Collection[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
