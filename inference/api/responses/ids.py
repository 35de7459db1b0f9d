"""Ids on the wire: unique over restarts, and an item's tells which response it is of.

`resp_` and 24 hexadecimal digits; for an item its kind, the same digits, and two or more for
its place in the output. An item's id is never the id of its call.
"""

import secrets

_DIGITS = 24


def new_request_id() -> str:
    return secrets.token_hex(_DIGITS // 2)


def response_id(request_id: str) -> str:
    return f"resp_{request_id}"


def item_id(kind: str, request_id: str, output_index: int) -> str:
    return f"{kind}_{request_id}{output_index:02x}"


def response_id_of(item_id: str) -> str:
    """Return the id of the response that an item would be of."""
    _kind, _, rest = item_id.partition("_")
    return response_id(rest[:_DIGITS])
