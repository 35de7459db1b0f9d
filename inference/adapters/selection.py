"""The names of adapters, and how a request chooses some: `a`, `a+b` or `a,b`, `none`."""

import re

NONE = "none"
MAX_ID_LENGTH = 128
MAX_SELECTED = 32

# `available` is a route beside the adapters' own.
_RESERVED = frozenset({NONE, "available", ".", ".."})
_SEPARATOR = re.compile(r"[+,]")
_FORBIDDEN = frozenset("+,/\\")


class BadName(ValueError):
    """A name, or a choice of names, that can mean no adapter; the text says why."""


def check_id(adapter_id: str) -> None:
    """Raise BadName unless a mounted adapter could be chosen and unmounted by this name."""
    if adapter_id in _RESERVED:
        raise BadName(f"'{adapter_id}' is reserved; choose another id")
    if not adapter_id or adapter_id != adapter_id.strip():
        raise BadName("an id may not be empty, nor begin or end with a blank")
    if len(adapter_id) > MAX_ID_LENGTH:
        raise BadName(f"the id has {len(adapter_id)} characters, the limit is {MAX_ID_LENGTH}")
    if not adapter_id.isprintable() or _FORBIDDEN & set(adapter_id):
        raise BadName("an id may hold none of + , / \\ and no control characters")


def parse_selection(text: str) -> tuple[str, ...]:
    """Return the ids that a request names, in order; none at all for `none` and "".

    Raises BadName for an empty name, one that comes twice, `none` beside others, or too many.
    """
    if text.strip() in ("", NONE):
        return ()
    count = text.count("+") + text.count(",") + 1
    if count > MAX_SELECTED:
        raise BadName(
            f"{count:,} adapters are named, the limit is {MAX_SELECTED}; name fewer, or merge some "
            "into one"
        )
    names = tuple(name.strip() for name in _SEPARATOR.split(text))
    if "" in names:
        raise BadName("a name is missing; write one id, or several as 'a+b'")
    if NONE in names:
        raise BadName("'none' stands alone; leave it out, or the others")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadName(f"'{twice[:MAX_ID_LENGTH]}' is named twice; name each adapter once")
    return names
