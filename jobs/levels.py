"""How deep JSON may be nested. Python cannot always write again what it has read."""

from collections.abc import Iterator
from typing import Any

MOST_LEVELS = 100


class TooDeep(ValueError):
    """A value that is nested deeper than `MOST_LEVELS`."""


def walk(value: Any) -> Iterator[Any]:
    """Yield a value and all that is in it, names of fields too, level by level; raises TooDeep."""
    level = [value]
    for _ in range(MOST_LEVELS):
        if not level:
            return
        yield from level
        level = [part for each in level for part in _parts(each)]
    raise TooDeep("nested too deep")


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []
