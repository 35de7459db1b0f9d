"""The session of a connection: what is on the disk is also in memory."""

import asyncio
import os
import threading

import pytest

from sessions.agent.current_session import CurrentSession
from sessions.errors import NotWritten
from sessions.store.messages import user_message
from sessions.store.store import SessionStore


class SlowStore(SessionStore):
    """Begins to write, and waits there for the test."""

    def __init__(self, root):
        super().__init__(root)
        self.begun, self.go_on = threading.Event(), threading.Event()

    def create(self, *, cwd):
        self.begun.set()
        assert self.go_on.wait(10)
        return super().create(cwd=cwd)


async def test_who_is_cancelled_while_writing_leaves_disk_and_memory_alike(tmp_path):
    store = SlowStore(tmp_path)
    session = CurrentSession(store)
    adding = asyncio.create_task(session.add_message(user_message("Hello")))
    await asyncio.to_thread(store.begun.wait, 10)

    adding.cancel()
    await asyncio.sleep(0.05)
    assert not adding.done()  # it is still being written
    store.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await adding

    (file,) = store.files()
    on_disk = [entry.id for entry in file.read() if entry.role == "user"]
    assert [entry.id for entry in session.tree.branch()] == on_disk
    assert len(on_disk) == 1


async def test_messages_are_taken_out_all_at_once_or_not_at_all(tmp_path, monkeypatch):
    session = CurrentSession(SessionStore(tmp_path))
    said = [await session.add_message(user_message(text)) for text in ("one", "two", "three")]
    monkeypatch.setattr(os, "write", lambda descriptor, data: 1)
    with pytest.raises(NotWritten):
        await session.delete(said[1:])
    assert len(session.tree.branch()) == 3
    monkeypatch.undo()

    await session.delete(said[1:])

    branch = session.tree.branch()
    assert [entry.type for entry in branch] == ["message", "deletion", "deletion"]
    await session.reload()
    assert session.tree.branch() == branch
