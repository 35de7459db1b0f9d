"""Where the runner finds prefixes and leaves them: in memory, and on disk below that."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import mlx.core as mx

from inference.engine.cache.memory_guard import MemoryGuard, OutOfMemory
from inference.engine.cache.prefix import Entry, Match, PrefixCache
from inference.engine.cache.snapshot import CacheSnapshot
from inference.engine.cache.ssd.key_tree import Key
from inference.engine.cache.ssd.spill_queue import Reason, Spill
from inference.engine.cache.ssd.tier import SsdTier

_LOOKS: Final = 8  # for prefixes to demote, at a time: each may cost a millisecond


class PrefixStore:
    """Thread: engine only.

    max_bytes: limit of the memory; 0 turns the store off.
    guard: keeps the model within its memory; None trusts admission alone.
    tier: keeps prefixes on disk as well.
    """

    def __init__(
        self, max_bytes: int, guard: MemoryGuard | None = None, tier: SsdTier | None = None
    ) -> None:
        self._prefixes: PrefixCache[CacheSnapshot] = PrefixCache(max_bytes)
        self._guard = guard
        self._tier = tier
        self._demoted = False  # anything, at the last look
        if tier is not None:
            tier.serve(self)

    @property
    def is_on(self) -> bool:
        return self._prefixes.max_bytes > 0

    @property
    def in_memory(self) -> PrefixCache[CacheSnapshot]:
        return self._prefixes

    def find(self, tokens: list[int], namespace: str) -> Match[CacheSnapshot]:
        """Find the longest usable prefix; from disk only if that one is longer."""
        match = self._prefixes.find(tokens, namespace)
        if self._tier is None:
            return match
        shared = max(match.shared, self._tier.shared(tokens, namespace))
        restored = self._tier.restore(tokens, namespace, match.length, self._has_room_for)
        if restored is None:
            return Match(match.snapshot, match.length, shared)
        if restored.snapshot.nbytes <= self._prefixes.max_bytes:
            self._spill(
                self._prefixes.store(restored.tokens, restored.snapshot, namespace), Reason.EVICTION
            )
        return Match(restored.snapshot, restored.length, shared)

    def keep(self, tokens: list[int], namespace: str, layers: list[Any]) -> None:
        """Keep the state of layer caches, which cover exactly `tokens`."""
        if not self.is_on or not tokens:
            return
        snapshot = CacheSnapshot.of(layers, len(tokens))
        # Evaluated now: a lazy snapshot would keep the buffers it is cut from alive.
        mx.async_eval([layer.state for layer in snapshot.layers])
        if self._tier is not None:
            self._tier.note(Entry(tokens, namespace, snapshot))
        self._spill(self._prefixes.store(tokens, snapshot, namespace), Reason.EVICTION)

    def make_room(self) -> None:
        """Evict prefixes until a step fits in memory; raises OutOfMemory if that is not enough."""
        if self._guard is not None:
            self._guard.make_room(self)

    def evict_oldest(self) -> bool:
        """Free the memory of the entry that went longest without use; tells if there was one."""
        entry = self._prefixes.evict_oldest()
        if entry is not None and self._tier is not None:
            self._tier.spill(entry, Reason.EVICTION)
            self._tier.copy_out()
        return entry is not None

    def clear(self) -> None:
        """Throw away what is in memory, and what was to be written of it."""
        if self._tier is not None:
            self._tier.forget()
        self._prefixes.clear()

    def close(self) -> None:
        if self._tier is not None:
            self._tier.close()
        self._prefixes.clear()

    # What the writer of the tier asks for.

    def holds(self, key: Key) -> bool:
        namespace, tokens = key
        return self._prefixes.covering(list(tokens), namespace) is not None

    def spill_of(self, key: Key) -> Spill | None:
        namespace, tokens = key
        entry = self._prefixes.covering(list(tokens), namespace)
        if entry is None or self._tier is None:
            return None
        return self._tier.pack(entry, Reason.SNAPSHOT)

    def demote(self, unused_seconds: float) -> Iterator[int]:
        if self._tier is None:
            return
        if self._demoted:
            mx.clear_cache()  # by now that is written, and MLX holds its buffers for nobody
        self._demoted = False
        looks = self._prefixes.evict_unused(unused_seconds, self._tier.demote)
        while piece := list(islice(looks, _LOOKS)):
            self._demoted = self._demoted or any(piece)
            yield sum(piece)

    def _spill(self, entries: list[Entry[CacheSnapshot]], reason: Reason) -> None:
        if self._tier is not None:
            for entry in entries:
                self._tier.spill(entry, reason)

    def _has_room_for(self, nbytes: int) -> bool:
        if self._guard is None:
            return True
        if self._guard.is_short(nbytes - self._prefixes.nbytes):
            return False  # however many are evicted
        try:
            self._guard.make_room(self, nbytes)
        except OutOfMemory:
            return False
        return True
