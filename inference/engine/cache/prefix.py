"""The prefix cache: finds reusable snapshots by the tokens they cover.

It knows tokens, sizes and age, not what a snapshot is made of. Hits do not consume: many
requests share one entry. Eviction is least recently used, by bytes.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from inference.engine.cache.prefix_tree import Kept, Node, PrefixTree, above


class Snapshot(Kept, Protocol):
    """The cache state after some tokens, in memory."""

    @property
    def nbytes(self) -> int: ...


S = TypeVar("S", bound=Snapshot)


@dataclass(frozen=True, slots=True)
class Entry(Generic[S]):
    """A snapshot, and the tokens and the namespace that it is for."""

    tokens: list[int]
    namespace: str
    snapshot: S


@dataclass(frozen=True, slots=True)
class Match(Generic[S]):
    """What is known of a prompt.

    snapshot: covers its first `length` tokens, cut to that if longer; None when nothing
        usable was found.
    shared: how many of its tokens some entry begins with, usable or not.
    """

    snapshot: S | None = None
    length: int = 0
    shared: int = 0


@dataclass(frozen=True, slots=True)
class _Use:
    nbytes: int
    namespace: str
    at: float


class PrefixCache(Generic[S]):
    """Snapshots by the tokens they cover, within `max_bytes`. Thread: engine only.

    clock: seconds of a clock that never goes back.
    """

    def __init__(self, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.max_bytes = max_bytes
        self.nbytes = 0
        self.hits = 0
        self.misses = 0
        self._clock = clock
        self._tree: PrefixTree[S] = PrefixTree()
        self._by_age: OrderedDict[Node[S], _Use] = OrderedDict()  # oldest first

    def __len__(self) -> int:
        return len(self._by_age)

    def find(self, tokens: list[int], namespace: str = "") -> Match[S]:
        """Find the longest usable prefix, leaving at least one token to compute."""
        found = self._tree.find(tokens, namespace)
        if found.node is None:
            self.misses += 1
            return Match(shared=found.shared)
        self.hits += 1
        self._use(found.node, self._by_age[found.node].nbytes, namespace)
        return Match(found.node.kept, found.length, found.shared)

    def covering(self, tokens: list[int], namespace: str = "") -> Entry[S] | None:
        """Return the entry of exactly `tokens`, or a longer one that can be cut to them.

        No use of it: its age stays.
        """
        node = self._tree.covering(tokens, namespace)
        return None if node is None else self._entry(node)

    def store(self, tokens: list[int], snapshot: S, namespace: str = "") -> list[Entry[S]]:
        """Keep a snapshot of exactly `tokens`; replaces what it makes superfluous.

        Ancestors go only if the new entry can be cut to their length; nor is it kept if a longer
        one can be cut to its. Returns what had to leave for want of room: the oldest, or the new
        entry itself if it is larger than the whole cache.
        """
        if not tokens:
            return []
        if snapshot.nbytes > self.max_bytes:
            return [Entry(tokens, namespace, snapshot)]
        node = self._tree.insert(tokens, namespace)
        if snapshot.can_trim:
            if any(longer.can_trim for longer in node.below() if longer is not node):
                return []
            for ancestor in above(node):
                self._drop(ancestor)
        self._forget(node)
        node.kept = snapshot
        self._use(node, snapshot.nbytes, namespace)
        self.nbytes += snapshot.nbytes
        evicted = []
        while self.nbytes > self.max_bytes and (entry := self.evict_oldest()):
            evicted.append(entry)
        return evicted

    def evict_oldest(self) -> Entry[S] | None:
        """Let go of the entry that went longest without use; returns it if there was one."""
        if not self._by_age:
            return None
        node = next(iter(self._by_age))
        entry = self._entry(node)
        self._drop(node)
        return entry

    def evict_unused(self, seconds: float, may_go: Callable[[Entry[S]], bool]) -> Iterator[bool]:
        """Let go of what nobody used for so long, oldest first, as far as it may go.

        One entry is looked at for each item, which tells whether it went. Other calls may come
        between two.
        """
        before = self._clock() - seconds
        for node in [node for node, use in self._by_age.items() if use.at <= before]:
            use = self._by_age.get(node)
            if use is None or use.at > before:
                continue  # it was dropped or used since
            goes = may_go(self._entry(node))
            if goes:
                self._drop(node)
            yield goes

    def clear(self) -> None:
        """Drop every entry; the counters stay."""
        # Nodes refer to one another: snapshots must not wait for the garbage collector.
        for node in list(self._by_age):
            self._forget(node)
        self._tree.clear()

    def _use(self, node: Node[S], nbytes: int, namespace: str) -> None:
        self._by_age[node] = _Use(nbytes, namespace, self._clock())
        self._by_age.move_to_end(node)

    def _entry(self, node: Node[S]) -> Entry[S]:
        assert node.kept is not None
        return Entry(node.tokens, self._by_age[node].namespace, node.kept)

    def _drop(self, node: Node[S]) -> None:
        self._forget(node)
        self._tree.discard(node)

    def _forget(self, node: Node[S]) -> None:
        if node.kept is not None:
            self.nbytes -= self._by_age.pop(node).nbytes
            node.kept = None
