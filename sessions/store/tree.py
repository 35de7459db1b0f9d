"""A session as a tree: entries name their parents, and the newest one is where the user is."""

from collections.abc import Sequence

from sessions.errors import EntryNotFound
from sessions.store.entries import Entry

ANSWERING = ("assistant", "toolResult")


class Tree:
    """The entries of one session. Pure; made anew when the file has grown.

    leaf: the id of the entry that the next one follows; None in an empty session.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = [entry for entry in entries if entry.type != "session"]
        self._by_id = {entry.id: entry for entry in self.entries}
        self._parents = self._find_parents()
        self._children: dict[str | None, list[Entry]] = {}
        for entry in self.entries:
            self._children.setdefault(self._parent_of(entry), []).append(entry)
        self._deleted = {
            target
            for entry in self.entries
            if entry.type == "deletion" and isinstance(target := entry.data.get("targetId"), str)
        }
        self.leaf = self.entries[-1].id if self.entries else None

    def get(self, entry_id: str) -> Entry:
        """Return an entry; raises EntryNotFound."""
        entry = self._by_id.get(entry_id)
        if entry is None:
            raise EntryNotFound
        return entry

    def branch(self) -> list[Entry]:
        """Return the entries from the first to the leaf, without messages that were deleted."""
        return [entry for entry in self.path() if not self.is_deleted(entry)]

    def is_deleted(self, entry: Entry) -> bool:
        return entry.id in self._deleted

    def path(self) -> list[Entry]:
        """Return the entries from the first to the leaf, also what was deleted."""
        path: list[Entry] = []
        seen: set[str] = set()
        at = self._by_id.get(self.leaf) if self.leaf else None
        while at is not None and at.id not in seen:
            seen.add(at.id)
            path.append(at)
            parent = self._parent_of(at)
            at = self._by_id.get(parent) if parent else None
        path.reverse()
        return path

    def last_user(self) -> Entry | None:
        """Return the user's newest message on the branch."""
        return next((entry for entry in reversed(self.branch()) if entry.role == "user"), None)

    def last_answer(self) -> Entry | None:
        """Return the end of the answer to the newest message, as far as it has come."""
        for entry in reversed(self.branch()):
            if entry.role == "assistant":
                return entry
            if _is_seam(entry):
                return None
        return None

    def answer(self, entry: Entry) -> list[Entry]:
        """Return all that is one answer with this entry: turns, calls and their results.

        A question is by itself.
        """
        answer: list[Entry] = []
        for each in self.branch():
            if each.role in ANSWERING:
                answer.append(each)
            elif _is_seam(each):
                if entry in answer:
                    break
                answer = []
        return answer if entry in answer else [entry]

    def siblings(self, entry: Entry) -> list[Entry]:
        """Return the user's messages that stand where this one does, oldest first."""
        beside = self._children.get(self._parent_of(entry), [])
        return [e for e in beside if e.role == "user" and e.id not in self._deleted]

    def deepest(self, entry: Entry) -> Entry:
        """Return the newest entry of the newest branch below this one."""
        newest, position = entry, -1
        order = {each.id: index for index, each in enumerate(self.entries)}
        waiting = [entry]
        while waiting:
            at = waiting.pop()
            if order[at.id] > position:
                newest, position = at, order[at.id]
            waiting += [c for c in self._children.get(at.id, []) if order[c.id] > order[at.id]]
        return newest

    def _parent_of(self, entry: Entry) -> str | None:
        return self._parents[entry.id]

    def _find_parents(self) -> dict[str, str | None]:
        """Return whom each entry follows.

        Where the line of a parent cannot be read, its children follow the entry before the first
        of them: a damaged line hides nothing but itself. So does an entry that names itself.
        """
        parents: dict[str, str | None] = {}
        found: dict[str, str | None] = {}  # in place of parents that cannot be read
        previous: str | None = None
        for entry in self.entries:
            parent = entry.parent_id
            if parent is not None and (parent not in self._by_id or parent == entry.id):
                parent = found.setdefault(parent, previous)
            parents[entry.id] = parent
            previous = entry.id
        return parents


def _is_seam(entry: Entry) -> bool:
    """Whether one answer ends here and another may begin."""
    return entry.role == "user" or entry.type == "compaction"
