"""Lines of a session's file: each is one JSON object, an entry of a tree.

    {"type": "session", "id": ..., "timestamp": ..., "cwd": ..., "parentSession"?: ...}
    {"type": "message", "id": ..., "parentId": ..., "timestamp": ..., "message": {...}}

Further types: `session_info` (a name, a pin), `branch` (the user went to another branch),
`deletion` (a message is taken out), `compaction` (what came before in short), `model_change`.
Types that are not known are kept and passed over.
"""

import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sessions.surrogates import replace_halves_in

LONGEST_LINE = 64 * 2**20  # bytes; a line beyond that is not ours

# What half of a surrogate pair can look like in a line: as an escape, or in three bytes.
_MAY_BE_HALF = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. data: the whole object as it stands in the file."""

    type: str
    id: str
    parent_id: str | None
    data: dict[str, Any]

    @property
    def message(self) -> dict[str, Any] | None:
        value = self.data.get("message")
        return value if self.type == "message" and isinstance(value, dict) else None

    @property
    def role(self) -> str | None:
        role = self.message and self.message.get("role")
        return role if isinstance(role, str) else None


def new_id() -> str:
    """Eight hexadecimal digits: enough for the entries of one file."""
    return secrets.token_hex(4)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_entry(kind: str, parent_id: str | None, **data: Any) -> Entry:
    identity = new_id()
    return Entry(
        kind,
        identity,
        parent_id,
        {"type": kind, "id": identity, "parentId": parent_id, "timestamp": now(), **data},
    )


def read_entries(
    lines: Iterable[bytes], *, first: int = 0, previous: str | None = None
) -> Iterator[Entry]:
    """Yield what can be read; a line that is torn, damaged or not ours is passed over.

    Entries without an id, as other programs write them, follow one another in file order.
    first, previous: the number of the first line, and the id of the entry that stands before it.
    """
    for number, line in enumerate(lines, first):
        value = _object(line)
        if value is None:
            continue
        kind = value.get("type")
        if not isinstance(kind, str):
            continue
        if kind == "session":
            yield Entry(kind, str(value.get("id", "")), None, value)
            continue
        identity = value.get("id")
        if isinstance(identity, str) and identity:
            parent = value.get("parentId")
            entry = Entry(kind, identity, parent if isinstance(parent, str) else None, value)
        else:
            entry = Entry(kind, f"line-{number}", previous, value)
        previous = entry.id
        yield entry


def _object(line: bytes) -> dict[str, Any] | None:
    if not line.strip() or len(line) > LONGEST_LINE:
        return None
    try:
        value = json.loads(line)
        if _MAY_BE_HALF.search(line):
            value = replace_halves_in(value)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
