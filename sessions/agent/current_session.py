"""The session that a connection has open: its tree, and the file behind it if it has one."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sessions.store.entries import Entry, new_entry
from sessions.store.messages import Message
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore
from sessions.store.tree import Tree

_Make = Callable[[Tree], Sequence[Entry]]  # from what stands there to what is added


class CurrentSession:
    """Appends what happens, in memory and, unless `temporary`, on the disk.

    A new session has no file before there is something to write. Methods run on the event
    loop, and the disk is used from other threads, one line after another.
    """

    def __init__(
        self, store: SessionStore, *, file: SessionFile | None = None, temporary: bool = False
    ) -> None:
        self.temporary = temporary
        self._store = store
        self._file = file
        self._entries: list[Entry] = []
        self._tree = Tree([])
        self._writing = asyncio.Lock()
        self._is_held = False  # an answer is under way here
        self._held: str | None = None  # the name by which it keeps other tabs away

    @classmethod
    async def open(cls, store: SessionStore, path: str) -> "CurrentSession":
        """Read a session from its file; raises as `SessionStore.open` does."""
        file = await asyncio.to_thread(store.open, path)
        session = cls(store, file=file)
        session._take(await asyncio.to_thread(file.read))
        return session

    @property
    def path(self) -> str | None:
        """Its name on the wire; None while it is on no disk."""
        return self._file.name if self._file else None

    @property
    def tree(self) -> Tree:
        return self._tree

    @property
    def answer_id(self) -> str | None:
        """The entry that ends the newest answer, by which the whole of it can be deleted."""
        answer = self._tree.last_answer()
        return answer.id if answer else None

    async def add_message(self, message: Message) -> Entry:
        return await self.append("message", message=message)

    async def append(self, kind: str, **data: Any) -> Entry:
        """Add an entry after the leaf, which it becomes; raises NotWritten."""
        return await self._append(lambda tree: [new_entry(kind, tree.leaf, **data)])

    async def append_below(self, parent_id: str | None, kind: str, **data: Any) -> Entry:
        """Add an entry below another than the leaf: the beginning of a branch."""
        return await self._append(lambda tree: [new_entry(kind, parent_id, **data)])

    async def delete(self, targets: Sequence[Entry]) -> None:
        """Take messages out of the conversation, all of them or none."""

        def make(tree: Tree) -> list[Entry]:
            deletions: list[Entry] = []
            leaf = tree.leaf
            for target in targets:
                deletions.append(new_entry("deletion", leaf, targetId=target.id))
                leaf = deletions[-1].id
            return deletions

        await self._append(make)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Have no other tab answer in this session inside of the block.

        Raises AnsweredElsewhere if one does. A session without a file is held from the moment
        on in which it has one.
        """
        self._is_held = True
        try:
            if self._file is not None:
                self._take_hold(self._file)
            yield
        finally:
            self._is_held = False
            held, self._held = self._held, None
            if held is not None:
                self._store.held.give(held)

    async def reload(self) -> None:
        """Take in what other tabs have written to the file."""
        if self._file is not None:
            self._take(await asyncio.to_thread(self._file.read))

    async def _append(self, make: _Make) -> Entry:
        """Add entries, on the disk and here, or neither: who is cancelled waits for both."""
        adding = asyncio.create_task(self._add(make))
        try:
            return await asyncio.shield(adding)
        except asyncio.CancelledError:
            await asyncio.gather(adding, return_exceptions=True)
            raise

    async def _add(self, make: _Make) -> Entry:
        async with self._writing:
            if self.temporary:
                self._take([*self._entries, *make(self._tree)])
            else:
                self._take(await asyncio.to_thread(self._write, make))
            return self._entries[-1]

    def _write(self, make: _Make) -> list[Entry]:
        """Add to the file as it stands now: others may have written to it."""
        if self._file is None:
            file = self._store.create(cwd="")
            if self._is_held:
                self._take_hold(file)
            self._file = file
        return self._file.follow(lambda entries: make(Tree(entries)))

    def _take_hold(self, file: SessionFile) -> None:
        self._store.held.take(file.name)
        self._held = file.name

    def _take(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._tree = Tree(entries)
