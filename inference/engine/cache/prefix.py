"""The prefix cache: a radix tree over token ids that finds reusable snapshots.

Each namespace has a tree of its own: what one computed is of no use to another.
It knows tokens, sizes and age, not what a snapshot is made of. Hits do not consume: many
requests share one entry. Eviction is least recently used, by bytes.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar


class Snapshot(Protocol):
    """The cache state after some tokens; immutable.

    can_trim: whether a shorter prefix can be cut from it. A recurrent state cannot.
    """

    @property
    def nbytes(self) -> int: ...

    @property
    def can_trim(self) -> bool: ...


S = TypeVar("S", bound=Snapshot)


@dataclass(eq=False, slots=True)
class _Node(Generic[S]):
    """A node and the edge that leads to it; `snapshot` covers the path up to here."""

    edge: list[int]
    parent: "_Node[S] | None" = None
    children: "dict[int, _Node[S]]" = field(default_factory=dict)
    snapshot: S | None = None


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


class PrefixCache(Generic[S]):
    """Snapshots by the tokens they cover, within `max_bytes`. Thread: engine only."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.nbytes = 0
        self.hits = 0
        self.misses = 0
        self._roots: dict[str, _Node[S]] = {}  # by namespace
        self._by_age: OrderedDict[_Node[S], int] = OrderedDict()  # oldest first, with bytes

    def __len__(self) -> int:
        return len(self._by_age)

    def find(self, tokens: list[int], namespace: str = "") -> Match[S]:
        """Find the longest usable prefix, leaving at least one token to compute."""
        limit = len(tokens) - 1
        root: _Node[S] = self._roots.get(namespace) or _Node([])
        node, matched, path = root, 0, [(root, 0)]
        partial = False
        while not partial and (child := node.children.get(tokens[matched], None)):
            common = _common_length(child.edge, tokens, matched)
            partial = common < len(child.edge)
            node, matched = child, matched + common
            path.append((node, matched))
            if matched == len(tokens):
                break
        found = self._best(path, limit)
        if found is None:
            self.misses += 1
            return Match(shared=min(matched, limit))
        self.hits += 1
        return Match(*found, shared=min(matched, limit))

    def store(self, tokens: list[int], snapshot: S, namespace: str = "") -> None:
        """Keep a snapshot of exactly `tokens`; replaces what it makes superfluous.

        An entry larger than the whole cache is not kept. Ancestors go only if the new
        entry can be cut to their length; nor is it kept if a longer one can be cut to its.
        """
        if snapshot.nbytes > self.max_bytes or not tokens:
            return
        node = self._insert(tokens, namespace)
        if snapshot.can_trim:
            if any(_can_trim(longer) for longer in _subtree(node) if longer is not node):
                return
            ancestor = node.parent
            while ancestor is not None:
                parent = ancestor.parent
                if ancestor.snapshot is not None:
                    self._drop(ancestor)
                ancestor = parent
        self._forget(node)
        node.snapshot = snapshot
        self._by_age[node] = snapshot.nbytes
        self.nbytes += snapshot.nbytes
        while self.nbytes > self.max_bytes:
            self.evict_oldest()

    def evict_oldest(self) -> bool:
        """Drop the entry that went longest without use; tells whether there was one."""
        if not self._by_age:
            return False
        self._drop(next(iter(self._by_age)))
        return True

    def clear(self) -> None:
        """Drop every entry; the counters stay."""
        # Nodes refer to one another: snapshots must not wait for the garbage collector.
        for node in list(self._by_age):
            self._forget(node)
        self._roots.clear()

    def _best(self, path: list[tuple[_Node[S], int]], limit: int) -> tuple[S, int] | None:
        """Choose among entries below the deepest match (cut) and on the path (whole)."""
        for node, matched in reversed(path):
            length = min(matched, limit)
            if length == 0:
                return None
            for candidate in _subtree(node):
                snapshot = candidate.snapshot
                exact = candidate is node and matched == length == _depth(node)
                if snapshot is not None and (exact or snapshot.can_trim):
                    self._by_age.move_to_end(candidate)
                    return snapshot, length
        return None

    def _insert(self, tokens: list[int], namespace: str) -> _Node[S]:
        node, at = self._roots.setdefault(namespace, _Node([])), 0
        while at < len(tokens):
            child = node.children.get(tokens[at])
            if child is None:
                child = _Node(tokens[at:], node)
                node.children[tokens[at]] = child
                return child
            common = _common_length(child.edge, tokens, at)
            at += common
            node = child if common == len(child.edge) else _split(child, common)
        return node

    def _drop(self, node: _Node[S]) -> None:
        """Remove an entry, and the nodes that nothing else needs."""
        self._forget(node)
        while node.parent is not None and node.snapshot is None and not node.children:
            del node.parent.children[node.edge[0]]
            node = node.parent
        if node.parent is None and not node.children:
            self._roots = {name: root for name, root in self._roots.items() if root is not node}

    def _forget(self, node: _Node[S]) -> None:
        if node.snapshot is not None:
            self.nbytes -= self._by_age.pop(node)
            node.snapshot = None


def _split(node: _Node[S], at: int) -> _Node[S]:
    """Cut a node's edge in two and return the new upper node."""
    parent = node.parent
    assert parent is not None, "the root has no edge to split"
    upper = _Node(node.edge[:at], parent, {node.edge[at]: node})
    parent.children[node.edge[0]] = upper
    node.edge, node.parent = node.edge[at:], upper
    return upper


def _subtree(node: _Node[S]) -> Iterator[_Node[S]]:
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.children.values())


def _can_trim(node: _Node[S]) -> bool:
    return node.snapshot is not None and node.snapshot.can_trim


def _depth(node: _Node[S]) -> int:
    depth, at = 0, node
    while at.parent is not None:
        depth += len(at.edge)
        at = at.parent
    return depth


def _common_length(edge: list[int], tokens: list[int], at: int) -> int:
    """Count equal tokens of `edge` and `tokens[at:]`, comparing whole slices first."""
    length = min(len(edge), len(tokens) - at)
    if edge[:length] == tokens[at : at + length]:
        return length
    low, high = 0, length  # equal up to low, different within high
    while high - low > 1:
        middle = (low + high) // 2
        if edge[low:middle] == tokens[at + low : at + middle]:
            low = middle
        else:
            high = middle
    return low
