"""What lies in the folder of a model: entries by namespace and tokens.

Files may go without our doing: another server makes room, somebody deletes them. Nobody waits for
the disk who only asks what should be there.
"""

import os.path
import threading
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inference.engine.cache.prefix_tree import Found, Node, PrefixTree, above
from inference.engine.cache.ssd.key_tree import Key, KeyTree

MOST_GONE: Final = 1024
"""So many of the files that went are told; of more, the last."""


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
        self._gone: KeyTree[bool] = KeyTree()  # whether it could be cut

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

    def knows(self, tokens: list[int], namespace: str) -> bool:
        """Tell whether an entry is for exactly `tokens`, or for more and can be cut to them.

        As far as is known, that is: its file may have gone.
        """
        with self._lock:
            return self._tree.covering(tokens, namespace) is not None

    def covers(self, tokens: list[int], namespace: str) -> bool:
        """Tell the same, and look whether the file is there. Thread: none that has no time."""
        while True:
            with self._lock:
                node = self._tree.covering(tokens, namespace)
                path = None if node is None else _kept(node).path
            if path is None or self._exists(path):
                return path is not None
            self._lose([path])

    def add(self, entry: StoredEntry, tokens: list[int], namespace: str) -> list[Path]:
        """Take in an entry; returns the files that are superfluous now, maybe its own.

        Looks for the file of a longer one. Thread: none that has no time.
        """
        while entry.can_trim:
            with self._lock:
                covering = self._tree.covering(tokens, namespace)
                if covering is None or covering.depth == len(tokens):
                    break
                path = _kept(covering).path
            if self._exists(path):
                return [entry.path]
            self._lose([path])
        key = namespace, tuple(tokens)
        with self._lock:
            for covered in self._gone.covered(key, can_trim=entry.can_trim):
                self._gone.pop(covered)
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
            gone = [path for path in self._nodes if path not in paths]
        self._lose(gone)

    def look_for_gone(self) -> None:
        """Forget the entries whose files are not there. Thread: none that has no time."""
        with self._lock:
            paths = list(self._nodes)
        self._lose(path for path in paths if not self._exists(path))

    def take_gone(self) -> dict[Key, bool]:
        """Return, once, entries whose files went without our doing, and whether each can be cut."""
        with self._lock:
            gone, self._gone = self._gone, KeyTree()
        return dict(gone.items())

    def _lose(self, paths: Iterable[Path]) -> None:
        """Forget entries whose files went without our doing."""
        for path in paths:
            with self._lock:
                if (node := self._nodes.get(path)) is None:
                    continue
                self._gone.put((self._namespaces[path], tuple(node.tokens)), node.can_trim)
                self._forget(path)
                if len(self._gone) > MOST_GONE:
                    self._gone.pop_oldest()

    # Whoever holds the lock.

    def _forget(self, path: Path) -> None:
        if (node := self._nodes.pop(path, None)) is not None:
            del self._namespaces[path]
            self._tree.discard(node)


def _kept(node: Node[StoredEntry]) -> StoredEntry:
    assert node.kept is not None, "a node of the index has an entry"
    return node.kept
