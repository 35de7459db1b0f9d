"""Chats that are opened, named, copied, deleted and kept from the disk."""

import pytest

from inference.engine.cache.namespaces import is_private
from tests.plugins.chat import kinds, text_of


async def test_a_temporary_chat_leaves_nothing_on_the_disk(chat, chat_store):
    connection = await chat(["Psst."])
    await connection.send("new_session", temporary=True)
    await connection.until("sessions")

    namespaces = []
    connection.watch(lambda sequence: namespaces.append(sequence.namespace))

    frames = await connection.ask("A secret")

    assert [is_private(namespace) for namespace in namespaces] == [True]
    assert text_of(frames) == "Psst."
    assert frames[-1] == {"type": "sessions", "items": []}
    assert chat_store.files() == []
    assert not chat_store.root.exists()


async def test_a_session_is_opened_again_after_the_connection_was_lost(chat):
    first = await chat(["One.", "Two."])
    path = (await first.ask("Remember this"))[-1]["activePath"]
    await first.close()

    again = await chat(["One.", "Two."])
    await again.send("open_session", path=path)

    items = (await again.until("history"))["items"]
    assert [item["role"] for item in items] == ["user", "assistant"]
    await again.ask("Go on")
    assert "Remember this" in again.prompts[1]


async def test_the_list_is_told_when_it_is_asked_for_and_no_more(chat, chat_store):
    one, other = await chat(["Hi."]), await chat(["Hi."])
    path = (await one.ask("Hello"))[-1]["activePath"]

    await other.send("list_sessions")

    told = await other.until("sessions")
    assert kinds(other.frames) == ["sessions"]
    (item,) = told["items"]
    assert "activePath" not in told
    assert item == {
        "path": path,
        "id": item["id"],
        "title": "Hello",
        "modified": item["modified"],
        "messageCount": 2,
        "forked": False,
        "pinned": False,
    }
    await one.send("list_sessions")
    assert (await one.until("sessions"))["activePath"] == path


async def test_sessions_are_renamed_pinned_forked_and_deleted(chat):
    connection = await chat(["Hi."])
    path = (await connection.ask("one"))[-1]["activePath"]

    await connection.send("rename_session", path=path, name="A name")
    assert (await connection.until("sessions"))["items"][0]["title"] == "A name"
    await connection.send("pin_session", path=path, pinned=True)
    assert (await connection.until("sessions"))["items"][0]["pinned"] is True
    await connection.send("fork_session", path=path)
    forked = await connection.until("sessions")
    assert len(forked["items"]) == 2
    assert forked["activePath"] != path
    await connection.send("delete_session", path=forked["activePath"])
    left = await connection.until("sessions")
    assert [item["path"] for item in left["items"]] == [path]
    assert "activePath" not in left


@pytest.mark.parametrize("kind", ["open_session", "delete_session", "fork_session"])
@pytest.mark.parametrize("path", ["../keep.jsonl", "sub/../../x", "/etc/passwd", "", "a\0.jsonl"])
async def test_no_frame_leads_out_of_the_folder(chat, kind, path, tmp_path):
    """Public case se-04."""
    (tmp_path / "keep.jsonl").write_text("kept")
    connection = await chat()

    await connection.send(kind, path=path)

    error = await connection.until("error")
    assert error["message"] == "path must be under the session directory"
    assert (tmp_path / "keep.jsonl").read_text() == "kept"
