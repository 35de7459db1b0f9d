"""What lies in the folder of a model: entries by namespace and tokens.

Files may go without our doing: another server makes room, somebody deletes them.
"""

import os.path
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from inference.engine.cache.prefix_tree import Found, Node, PrefixTree, above
from inference.engine.cache.ssd.key_tree import Key


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One entry on disk. length: tokens that it covers. nbytes: of its file."""

    path: Path
    length: int
    nbytes: int
    can_trim: bool


class EntryIndex:
    """Finds entries by the rules of the prefix cache. Any thread.

    exists: tells whether a file is still there.
    """

    def __init__(self, exists: Callable[[Path], bool] = os.path.exists) -> None:
        self._exists = exists
        self._lock = threading.Lock()
        self._tree: PrefixTree[StoredEntry] = PrefixTree()
        self._nodes: dict[Path, Node[StoredEntry]] = {}
        self._namespaces: dict[Path, str] = {}
        self._gone: dict[Key, bool] = {}  # whether it could be cut

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
        """Tell whether an entry is for exactly `tokens`, or for more and can be cut to them.

        Its file is there, that is.
        """
        with self._lock:
            return self._covering(tokens, namespace) is not None

    def add(self, entry: StoredEntry, tokens: list[int], namespace: str) -> list[Path]:
        """Take in an entry; returns the files that are superfluous now, maybe its own."""
        with self._lock:
            covering = self._covering(tokens, namespace)
            if covering is not None and covering.depth > len(tokens) and entry.can_trim:
                return [entry.path]
            node = self._tree.insert(tokens, namespace)
            replaced = [node] if node.kept is not None else []
            if entry.can_trim:
                replaced += above(node)
            paths = [_kept(old).path for old in replaced]
            for path in paths:
                del self._nodes[path], self._namespaces[path]
            for old in replaced:
                if old is not node:
                    self._tree.discard(old)
            node.kept = entry
            self._nodes[entry.path] = node
            self._namespaces[entry.path] = namespace
            return paths

    def remove(self, paths: Iterable[Path]) -> None:
        """Forget entries; harmless for those that are not known."""
        with self._lock:
            for path in paths:
                self._forget(path)

    def retain(self, paths: Collection[Path]) -> None:
        """Forget the entries whose files are not among `paths`, which are all that are there."""
        with self._lock:
            for path in [path for path in self._nodes if path not in paths]:
                self._lose(path)

    def take_gone(self) -> dict[Key, bool]:
        """Return, once, entries whose files went without our doing, and whether each can be cut."""
        with self._lock:
            gone, self._gone = self._gone, {}
            return gone

    # Whoever holds the lock.

    def _covering(self, tokens: list[int], namespace: str) -> Node[StoredEntry] | None:
        while (node := self._tree.covering(tokens, namespace)) is not None:
            path = _kept(node).path
            if self._exists(path):
                return node
            self._lose(path)
        return None

    def _lose(self, path: Path) -> None:
        node = self._nodes[path]
        self._gone[self._namespaces[path], tuple(node.tokens)] = node.can_trim
        self._forget(path)

    def _forget(self, path: Path) -> None:
        if (node := self._nodes.pop(path, None)) is not None:
            del self._namespaces[path]
            self._tree.discard(node)


def _kept(node: Node[StoredEntry]) -> StoredEntry:
    assert node.kept is not None, "a node of the index has an entry"
    return node.kept
