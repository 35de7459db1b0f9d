"""What lies in the folder of a model: entries by namespace and tokens."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from inference.engine.cache.prefix_tree import Found, Node, PrefixTree, above


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One entry on disk. length: tokens that it covers. nbytes: of its file."""

    path: Path
    length: int
    nbytes: int
    can_trim: bool


class EntryIndex:
    """Finds entries by the rules of the prefix cache. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tree: PrefixTree[StoredEntry] = PrefixTree()
        self._nodes: dict[Path, Node[StoredEntry]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def longest(self) -> int:
        """The most tokens that any entry covers."""
        with self._lock:
            return max((_kept(node).length for node in self._nodes.values()), default=0)

    def find(self, tokens: list[int], namespace: str) -> tuple[StoredEntry | None, int, int]:
        """Return the entry with the longest usable prefix, that length, and what is shared.

        As `Found` has them.
        """
        with self._lock:
            found: Found[StoredEntry] = self._tree.find(tokens, namespace)
            stored = None if found.node is None else found.node.kept
            return stored, found.length, found.shared

    def covers(self, tokens: list[int], namespace: str) -> bool:
        """Tell whether an entry is for exactly `tokens`, or for more and can be cut to them."""
        with self._lock:
            return self._tree.covering(tokens, namespace) is not None

    def add(self, entry: StoredEntry, tokens: list[int], namespace: str) -> list[Path]:
        """Take in an entry; returns the files that are superfluous now, maybe its own."""
        with self._lock:
            covering = self._tree.covering(tokens, namespace)
            if covering is not None and covering.depth > len(tokens) and entry.can_trim:
                return [entry.path]
            node = self._tree.insert(tokens, namespace)
            replaced = [node] if node.kept is not None else []
            if entry.can_trim:
                replaced += above(node)
            paths = [_kept(old).path for old in replaced]
            for path in paths:
                del self._nodes[path]
            for old in replaced:
                if old is not node:
                    self._tree.discard(old)
            node.kept = entry
            self._nodes[entry.path] = node
            return paths

    def remove(self, paths: Iterable[Path]) -> None:
        """Forget entries; harmless for those that are not known."""
        with self._lock:
            for path in paths:
                if (node := self._nodes.pop(path, None)) is not None:
                    self._tree.discard(node)


def _kept(node: Node[StoredEntry]) -> StoredEntry:
    assert node.kept is not None, "a node of the index has an entry"
    return node.kept
