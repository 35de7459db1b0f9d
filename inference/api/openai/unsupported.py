"""What the contract offers and this server cannot do yet.

Unknown fields are ignored, but these ask for another answer than the caller would get:
they are refused, not passed over. Whoever builds one of them deletes its row.
"""

from collections.abc import Callable, Mapping
from typing import Any

from inference.errors import InvalidRequest


def _names_an_adapter(value: object) -> bool:
    return value not in ("", "none")


# By field: whether its value, which is not null, asks for what is not there.
_ASKS: dict[str, Callable[[object], bool]] = {
    "adapter": _names_an_adapter,
}


def refuse_unsupported(body: Mapping[str, Any]) -> None:
    """Raise InvalidRequest if a body asks for something that this server cannot do."""
    for name, asks in _ASKS.items():
        value = body.get(name)
        if value is not None and asks(value):
            raise InvalidRequest(f"{name} is not supported by this server; leave it out", name)
