"""Keys of prefixes, found by what covers them however many there are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from inference.engine.cache.prefix_tree import Node, PrefixTree

Key = tuple[str, tuple[int, ...]]
"""A namespace and the exact tokens."""

V = TypeVar("V")


@dataclass(slots=True)
class _Item(Generic[V]):
    key: Key
    value: V
    can_trim: bool = False  # a key stands for itself alone


class KeyTree(Generic[V]):
    """A value for each key, in the order in which they came. Not locked.

    What is asked of one key costs as its length does, whatever else is here.
    """

    def __init__(self) -> None:
        self._tree: PrefixTree[_Item[V]] = PrefixTree()
        self._nodes: dict[Node[_Item[V]], None] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Key]:
        return iter([item.key for item in self._items()])

    def items(self) -> Iterator[tuple[Key, V]]:
        """Yield keys and values; nothing may be added or removed meanwhile."""
        return ((item.key, item.value) for item in self._items())

    def get(self, key: Key, default: V) -> V:
        node = self._at(key)
        return default if node is None or node.kept is None else node.kept.value

    def put(self, key: Key, value: V) -> None:
        """Set the value of a key, which keeps its place if it is here already."""
        namespace, tokens = key
        node = self._tree.insert(list(tokens), namespace)
        if node.kept is None:
            node.kept = _Item(key, value)
            self._nodes[node] = None
        else:
            node.kept.value = value

    def pop(self, key: Key) -> V | None:
        """Remove a key; returns its value, None if it is not here."""
        node = self._at(key)
        return None if node is None else self._remove(node)

    def pop_oldest(self) -> None:
        self._remove(next(iter(self._nodes)))

    def covered(self, key: Key, *, can_trim: bool) -> list[Key]:
        """Return those that an entry of exactly these tokens covers.

        can_trim: whether shorter prefixes can be cut from it.
        """
        namespace, tokens = key
        nodes = self._tree.on_path(list(tokens), namespace)
        items = [node.kept for node in nodes if node.kept is not None]
        return [item.key for item in items if can_trim or len(item.key[1]) == len(tokens)]

    def _items(self) -> Iterator[_Item[V]]:
        return (node.kept for node in self._nodes if node.kept is not None)

    def _at(self, key: Key) -> Node[_Item[V]] | None:
        namespace, tokens = key
        nodes = self._tree.on_path(list(tokens), namespace)
        found = nodes[-1].kept if nodes else None
        return nodes[-1] if found is not None and len(found.key[1]) == len(tokens) else None

    def _remove(self, node: Node[_Item[V]]) -> V | None:
        item = node.kept
        del self._nodes[node]
        self._tree.discard(node)
        return None if item is None else item.value
