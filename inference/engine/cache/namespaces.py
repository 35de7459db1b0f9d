"""Namespaces of prefixes: what was computed in one is of no use in another."""

_PRIVATE = "private "


def private(namespace: str) -> str:
    """Return the namespace beside another whose prefixes are kept in memory alone."""
    return _PRIVATE + namespace


def is_private(namespace: str) -> bool:
    return namespace.startswith(_PRIVATE)
