"""Responses that a later request may go on from, for a while and within a limit.

In memory only: another process, or the same one started again, knows nothing of them.
"""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

MAX_BYTES = 32 * 1024 * 1024
TTL_SECONDS = 3600

Item = Mapping[str, Any]
"""One entry of a conversation, as on the wire."""


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response and the conversation it ended, as on the wire; never changed.

    body: the response, its effective `instructions` among its fields.
    items: all that was said, its own output last. Reasoning is not in it.
    items_bytes: size of `items` as JSON. size_bytes: the same with `body`.
    """

    body: Mapping[str, Any]
    items: tuple[Item, ...]
    items_bytes: int
    size_bytes: int


class ResponseStore:
    """Keeps responses by their ids, until they are too old or too many.

    Whoever was not asked for the longest goes first; asking does not lengthen a life.
    Children of a response carry its items themselves, so that none depends on another's stay.

    Thread: any.
    """

    def __init__(
        self,
        *,
        max_bytes: int = MAX_BYTES,
        ttl_seconds: float = TTL_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_bytes = max_bytes
        self._ttl_seconds = ttl_seconds
        self._clock = clock
        self._lock = threading.Lock()  # guards all below
        self._entries: OrderedDict[str, StoredResponse] = OrderedDict()  # the newest use last
        self._created: dict[str, float] = {}  # the oldest first
        self._bytes = 0

    def put(self, response_id: str, stored: StoredResponse) -> None:
        """Keep a response under a new id; one above the limit alone is not kept."""
        with self._lock:
            self._drop_expired()
            if stored.size_bytes > self._max_bytes:
                return
            self._entries[response_id] = stored
            self._created[response_id] = self._clock()
            self._bytes += stored.size_bytes
            while self._bytes > self._max_bytes:
                self._drop(next(iter(self._entries)))

    def get(self, response_id: str) -> StoredResponse | None:
        with self._lock:
            self._drop_expired()
            stored = self._entries.get(response_id)
            if stored is not None:
                self._entries.move_to_end(response_id)
            return stored

    def delete(self, response_id: str) -> bool:
        """Forget a response; tells whether it was there."""
        with self._lock:
            self._drop_expired()
            if response_id not in self._entries:
                return False
            self._drop(response_id)
            return True

    def stats(self) -> dict[str, int]:
        with self._lock:
            self._drop_expired()
            return {
                "entries": len(self._entries),
                "bytes": self._bytes,
                "max_bytes": self._max_bytes,
                "ttl_ms": int(self._ttl_seconds * 1000),
            }

    def _drop_expired(self) -> None:
        oldest_kept = self._clock() - self._ttl_seconds
        while self._created:
            response_id, created = next(iter(self._created.items()))
            if created > oldest_kept:
                return
            self._drop(response_id)

    def _drop(self, response_id: str) -> None:
        self._bytes -= self._entries.pop(response_id).size_bytes
        del self._created[response_id]


def json_bytes(value: object) -> int:
    """Return how long a value is as JSON, in bytes."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


STORE = ResponseStore()
"""The one of this process."""
