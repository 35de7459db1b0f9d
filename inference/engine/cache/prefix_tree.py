"""A radix tree over token ids that finds the longest prefix something is kept for.

Each namespace has a tree of its own: what one computed is of no use to another. The tree
knows tokens, not what is kept, how large it is or how old; the prefix cache and the index of
what lies on disk are both made of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar


class Kept(Protocol):
    """The cache state after some tokens, wherever it is; immutable.

    can_trim: whether a shorter prefix can be cut from it. A recurrent state cannot.
    """

    @property
    def can_trim(self) -> bool: ...


K = TypeVar("K", bound=Kept)


@dataclass(eq=False, slots=True)
class Node(Generic[K]):
    """A node and the edge that leads to it; `kept` covers the path up to here."""

    edge: list[int]
    parent: "Node[K] | None" = None
    children: "dict[int, Node[K]]" = field(default_factory=dict)
    kept: K | None = None

    @property
    def depth(self) -> int:
        return sum(len(node.edge) for node in self._path())

    @property
    def tokens(self) -> list[int]:
        return [token for node in reversed(list(self._path())) for token in node.edge]

    @property
    def can_trim(self) -> bool:
        return self.kept is not None and self.kept.can_trim

    def below(self) -> "Iterator[Node[K]]":
        """Yield this node and all whose path leads through it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())

    def _path(self) -> "Iterator[Node[K]]":
        node: Node[K] | None = self
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True, slots=True)
class Found(Generic[K]):
    """What a tree knows of a prompt.

    node: whose `kept` covers its first `length` tokens, if cut to that; None for nothing usable.
    shared: how many of its tokens some path begins with, usable or not.
    """

    node: Node[K] | None = None
    length: int = 0
    shared: int = 0


class PrefixTree(Generic[K]):
    """What is kept, by namespace and tokens. Not locked."""

    def __init__(self) -> None:
        self._roots: dict[str, Node[K]] = {}

    def find(self, tokens: list[int], namespace: str) -> Found[K]:
        """Find the longest usable prefix, leaving at least one token to compute."""
        limit = len(tokens) - 1
        path = self._walk(tokens, namespace)
        shared = min(path[-1][1], limit)
        for node, matched in reversed(path):
            length = min(matched, limit)
            if length == 0:
                break
            # Below the deepest match entries are cut, on the path they are used whole.
            for candidate in node.below():
                exact = candidate is node and matched == length == node.depth
                if candidate.can_trim or (exact and candidate.kept is not None):
                    return Found(candidate, length, shared)
        return Found(shared=shared)

    def covering(self, tokens: list[int], namespace: str) -> Node[K] | None:
        """Return what is kept for exactly `tokens`, or for more and can be cut to them."""
        node, matched = self._walk(tokens, namespace)[-1]
        if matched < len(tokens) or not tokens:
            return None
        if node.kept is not None and node.depth == matched:
            return node
        return next((longer for longer in node.below() if longer.can_trim), None)

    def on_path(self, tokens: list[int], namespace: str) -> list[Node[K]]:
        """Return the nodes of `tokens` and of what it begins with that keep something."""
        path = self._walk(tokens, namespace)
        node, matched = path[-1]
        if node.depth > matched:
            path.pop()
        return [node for node, _ in path if node.kept is not None]

    def insert(self, tokens: list[int], namespace: str) -> Node[K]:
        """Return the node of exactly `tokens`, made if need be."""
        node, at = self._roots.setdefault(namespace, Node([])), 0
        while at < len(tokens):
            child = node.children.get(tokens[at])
            if child is None:
                child = Node(tokens[at:], node)
                node.children[tokens[at]] = child
                return child
            common = _common_length(child.edge, tokens, at)
            at += common
            node = child if common == len(child.edge) else _split(child, common)
        return node

    def discard(self, node: Node[K]) -> None:
        """Keep nothing at a node any more, and remove the nodes that nothing else needs."""
        node.kept = None
        while node.parent is not None and node.kept is None and not node.children:
            del node.parent.children[node.edge[0]]
            node = node.parent
        if node.parent is None and not node.children:
            self._roots = {name: root for name, root in self._roots.items() if root is not node}

    def clear(self) -> None:
        self._roots.clear()

    def _walk(self, tokens: list[int], namespace: str) -> list[tuple[Node[K], int]]:
        """Follow tokens as far as they lead; return the nodes with the tokens matched there.

        Of the last one's edge, only a part may have matched.
        """
        root = self._roots.get(namespace) or Node[K]([])
        node, matched, path = root, 0, [(root, 0)]
        while matched < len(tokens) and (child := node.children.get(tokens[matched])):
            common = _common_length(child.edge, tokens, matched)
            node, matched = child, matched + common
            path.append((node, matched))
            if common < len(child.edge):
                break
        return path


def above(node: Node[K]) -> list[Node[K]]:
    """Return the nodes on the way to a node that keep something, the nearest first."""
    found = []
    ancestor = node.parent
    while ancestor is not None:
        if ancestor.kept is not None:
            found.append(ancestor)
        ancestor = ancestor.parent
    return found


def _split(node: Node[K], at: int) -> Node[K]:
    """Cut a node's edge in two and return the new upper node."""
    parent = node.parent
    assert parent is not None, "the root has no edge to split"
    upper = Node(node.edge[:at], parent, {node.edge[at]: node})
    parent.children[node.edge[0]] = upper
    node.edge, node.parent = node.edge[at:], upper
    return upper


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
